/**
 * The program behind `json-pick.ts`, in WebAssembly with SIMD: bytes of JSON in, a tape of what is wanted of them out.
 * It checks the whole grammar, also of what nobody wants.
 */
import {
  escapes,
  everything,
  hexDigits,
  key,
  levels,
  mostLevels,
  noKey,
  stoppedAt,
  table,
  textEnd,
  token,
} from './json-pick-layout.ts';
import { codeToFindKeys } from './json-pick-wasm-key.ts';
import { createMachine, isBefore, must, one } from './json-pick-wasm-machine.ts';
import { codeToReadScalars } from './json-pick-wasm-scalar.ts';
import { codeToReadTexts } from './json-pick-wasm-text.ts';
import { assembleModule, bytes16, type Code, i32, plus, repeatWhile, when } from './wasm-code.ts';
import { type Memory, startProgram } from './wasm-engine.ts';

/**
 * Elements with commas between them from `from` to `to`, behind which 64 spaces stand; texts go to `texts`, tokens
 * to `tape`. With `single` it stops before the comma behind the first element. Returns the end of the tape, or 0 for
 * what is not JSON or too unusual.
 */
type Run = (from: number, to: number, texts: number, tape: number, wanted: number, single: number) => number;
/** Its parameters. */
export const pickParameters = 6;

/** Undefined where WebAssembly or its SIMD is missing. */
export function startPickProgram(): { readonly memory: Memory; readonly run: Run } | undefined {
  const program = startProgram(assembleProgram());
  if (program === undefined) return undefined;
  const { buffer } = program.memory;
  const bytes = new Uint8Array(buffer);
  new DataView(buffer).setInt32(noKey + key.length, -1);
  for (const digit of Buffer.from('0123456789abcdefABCDEF')) bytes[hexDigits + digit] = 1;
  for (const [letter, meaning] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
    bytes[escapes + letter!.charCodeAt(0)] = meaning!.charCodeAt(0);
  }
  return program;
}

/** Behind the last text that `run` has written. */
export function endOfTexts(memory: Memory): number {
  return new Uint32Array(memory.buffer, textEnd, 1)[0]!;
}

/** What may come next; bits, because often one of several may. */
const VALUE = 1;
const FIRST_VALUE = 2;
const KEY = 4;
const FIRST_KEY = 8;
const COLON = 16;
const AFTER = 32;

function assembleProgram(): Uint8Array<ArrayBuffer> {
  const machine = createMachine();
  const { declared, parameters, at, end, texts, tape, wanted, single } = machine;
  const { state, open, inObject, level, byte, marks, part } = machine;
  const { step, is, stands, stepOver, emit } = machine;
  const { readText, emitText } = codeToReadTexts(machine);
  const findKey = codeToFindKeys(machine, emitText);

  const may = (states: number): Code => i32.and(state.get, i32.of(states));
  const readScalar = [
    must(may(VALUE | FIRST_VALUE)),
    state.set(i32.of(AFTER)),
    ...codeToReadScalars(machine),
  ];
  const opens = (letter: string): Code[] => [
    must(may(VALUE | FIRST_VALUE)),
    must(isBefore(level.get, i32.of(levels + 8 * mostLevels))),
    i32.storeAt(level.get, open.get),
    i32.storeAt(plus(level.get, 4), inObject.get),
    level.set(plus(level.get, 8)),
    open.set(wanted.get),
    inObject.set(i32.of(letter === '{' ? 1 : 0)),
    state.set(i32.of(letter === '{' ? FIRST_KEY : FIRST_VALUE)),
    step(1),
  ];
  const openObject = [
    when(wanted.get, [
      when(
        isBefore(i32.of(everything), wanted.get),
        emit(token.picked, i32.load(wanted.get, table.number), at.get),
        emit(token.object),
      ),
    ]),
    ...opens('{'),
  ];
  const openList = [when(wanted.get, emit(token.list)), ...opens('[')];
  const closes = (states: number): Code[] => [
    must(may(states)),
    must(isBefore(i32.of(levels), level.get)),
    when(open.get, emit(token.close)),
    level.set(plus(level.get, -8)),
    open.set(i32.load(level.get)),
    inObject.set(i32.load(level.get, 4)),
    state.set(i32.of(AFTER)),
    step(1),
  ];

  /**
   * The colon behind a key mostly stands there at once, or behind one space; anything else is left to the next turn.
   */
  const readColon = [
    ...stepOver(' '),
    when(stands(':'), [state.set(i32.of(VALUE)), step(1)]),
    ...stepOver(' '),
  ];
  const readAnyText = [
    must(may(VALUE | FIRST_VALUE | KEY | FIRST_KEY)),
    ...readText,
    when(
      may(KEY | FIRST_KEY),
      [state.set(i32.of(COLON)), ...findKey, ...readColon],
      [when(wanted.get, [emitText]), state.set(i32.of(AFTER))],
    ),
  ];
  const isFirstOver = i32.and(single.get, i32.areEqual(level.get, i32.of(levels)));
  const comma = [
    must(may(AFTER)),
    when(
      isFirstOver,
      [end.set(at.get)],
      [state.set(i32.of(VALUE)), wanted.set(open.get), when(inObject.get, [state.set(i32.of(KEY))]), step(1)],
    ),
  ];
  const colon = [must(may(COLON)), state.set(i32.of(VALUE)), step(1)];
  /** Up to 16 bytes of white space at once; a first byte that is none is a control character. */
  const skipSpace = [
    part.set(bytes16.load(at.get, 0)),
    marks.set(
      bytes16.bits(
        [0x20, 0x0a, 0x0d, 0x09]
          .map((space) => bytes16.areEqual(part.get, bytes16.filled(space)))
          .reduce((some, more) => bytes16.or(some, more)),
      ),
    ),
    must(i32.and(marks.get, one)),
    // The bits above those of the 16 bytes are zeros, which end the run.
    at.set(i32.add(at.get, i32.lowest(i32.sub(i32.of(-1), marks.get)))),
  ];

  /** By the first byte, the most frequent ones first. */
  const cases: readonly (readonly [condition: Code, then: readonly Code[]])[] = [
    [is('"'), readAnyText],
    [is(','), comma],
    [is('{'), openObject],
    [is('}'), [must(inObject.get), ...closes(AFTER | FIRST_KEY)]],
    [is('['), openList],
    [is(']'), [must(i32.isZero(inObject.get)), ...closes(AFTER | FIRST_VALUE)]],
    [is(':'), colon],
  ];
  const readNext = cases.reduceRight<readonly Code[]>(
    (otherwise, [condition, then]) => [when(condition, then, otherwise)],
    readScalar,
  );
  const body = [
    open.set(wanted.get),
    state.set(i32.of(VALUE)),
    level.set(i32.of(levels)),
    repeatWhile(
      isBefore(at.get, end.get),
      byte.set(i32.loadByte(at.get)),
      when(isBefore(byte.get, i32.of(0x21)), [...skipSpace, byte.set(i32.loadByte(at.get))]),
      when(isBefore(at.get, end.get), [when(isBefore(i32.of(0x20), byte.get), readNext)]),
    ),
    must(may(AFTER)),
    must(i32.areEqual(level.get, i32.of(levels))),
    i32.store(textEnd, texts.get),
    i32.store(stoppedAt, at.get),
    tape.get,
  ];
  return assembleModule(declared, parameters, 1, body);
}
