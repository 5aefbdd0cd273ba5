/**
 * The program behind `json-pick.ts`, in WebAssembly with SIMD: bytes of JSON in, a tape of what is wanted of them out.
 * It checks the whole grammar, also of what nobody wants. A tape is two words for each token: kind and number (times
 * 16), and a place.
 */
import {
  assembleModule,
  bytes16,
  createVariables,
  giveBack,
  i32,
  i64,
  repeatWhile,
  when,
  type Code,
} from './wasm-code.ts';
import { type Memory, startProgram } from './wasm-engine.ts';

/** Kinds of tokens on the tape, with what number and place say. */
export const token = {
  /** Length and place of a text whose escapes are resolved: ASCII. */
  text: 1,
  /** The same, with characters beyond ASCII, as UTF-8. */
  wide: 2,
  /** Length and place in the input of a text with `\u`. */
  escaped: 3,
  /** Length and place in the input. */
  number: 4,
  true: 5,
  false: 6,
  null: 7,
  list: 8,
  object: 9,
  /** The number of the table, and the place in the input: an object of which only some keys are wanted. */
  picked: 10,
  /** The number of the key, counted through all tables. */
  key: 11,
  close: 12,
} as const;

/** What is wanted of a value: nothing (0), all of it, or else the address of a table of keys. */
export const everything = 1;

/** A table of keys: its number, two factors of the hash, then the addresses of the keys by bucket, or zero. */
export const table = { number: 0, firstFactor: 4, halfFactor: 8, buckets: 12, size: 12 + 4 * 64 } as const;
export const bucketCount = 64;
/** A key: its bytes, its length, its number, what is wanted of its value. */
export const key = { bytes: 0, length: 32, number: 36, wanted: 40, size: 48 } as const;
export const longestKey = 32;

/** In an empty bucket: a key of a length that none has. */
const noKey = 0;
/** The memory: a word for the result, two tables of bytes, the levels that are open; the rest is the caller's. */
const textEnd = 0;
const hexDigits = 64;
const escapes = hexDigits + 256;
const levels = escapes + 256;
const mostLevels = 2048;
export const freeMemory = levels + 8 * mostLevels;

/**
 * Elements with commas between them from `from` to `to`, behind which 64 spaces stand; texts go to `texts`, tokens
 * to `tape`. Returns the end of the tape, or 0 for what is not JSON or too unusual.
 */
type Run = (from: number, to: number, texts: number, tape: number, wanted: number) => number;

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
  const { declared, variable } = createVariables();
  const at = variable('i32');
  const end = variable('i32');
  const texts = variable('i32');
  const tape = variable('i32');
  /** What is wanted of the next value. */
  const wanted = variable('i32');
  const parameters = declared.length;
  const state = variable('i32');
  /** What was wanted of the object or list that stands open. */
  const open = variable('i32');
  const inObject = variable('i32');
  const level = variable('i32');
  const byte = variable('i32');
  const start = variable('i32');
  const text = variable('i32');
  const reading = variable('i32');
  const wide = variable('i32');
  const escaped = variable('i32');
  const marks = variable('i32');
  const length = variable('i32');
  const found = variable('i32');
  const part = variable('bytes16');

  const one = i32.of(1);
  const fail = giveBack(i32.of(0));
  const plus = (value: Code, more: number): Code => i32.add(value, i32.of(more));
  const step = (bytes: number): Code => at.set(plus(at.get, bytes));
  const is = (letter: string): Code => i32.areEqual(byte.get, i32.of(letter.charCodeAt(0)));
  const may = (states: number): Code => i32.and(state.get, i32.of(states));
  const must = (condition: Code): Code => when(condition, [], [fail]);
  const isBefore = i32.isLess;

  const emit = (kind: number, number: Code = i32.of(0), place: Code = i32.of(0)): Code[] => [
    i32.storeAt(tape.get, i32.or(i32.of(kind), i32.shiftLeft(number, i32.of(4)))),
    i32.storeAt(plus(tape.get, 4), place),
    tape.set(plus(tape.get, 8)),
  ];

  const readEscape = [
    byte.set(i32.loadByte(at.get, 1)),
    when(
      is('u'),
      [
        ...[2, 3, 4, 5].map((digit) => must(i32.loadByte(i32.loadByte(at.get, digit), hexDigits))),
        escaped.set(one),
        step(6),
      ],
      [
        byte.set(i32.loadByte(byte.get, escapes)),
        must(byte.get),
        i32.storeByte(text.get, byte.get),
        text.set(plus(text.get, 1)),
        step(2),
      ],
    ),
  ];
  /** From the opening quote to behind the closing one; 16 bytes at a time are copied and looked at. */
  const readText = [
    start.set(plus(at.get, 1)),
    at.set(start.get),
    text.set(texts.get),
    wide.set(i32.of(0)),
    escaped.set(i32.of(0)),
    reading.set(one),
    repeatWhile(
      reading.get,
      part.set(bytes16.load(at.get, 0)),
      bytes16.store(text.get, part.get),
      marks.set(
        bytes16.bits(
          bytes16.or(
            bytes16.or(
              bytes16.areEqual(part.get, bytes16.filled(0x22)),
              bytes16.areEqual(part.get, bytes16.filled(0x5c)),
            ),
            bytes16.areLess(part.get, bytes16.filled(0x20)),
          ),
        ),
      ),
      when(
        marks.get,
        [
          length.set(i32.lowest(marks.get)),
          wide.set(
            i32.or(wide.get, i32.and(bytes16.bits(part.get), i32.sub(i32.shiftLeft(one, length.get), one))),
          ),
          at.set(i32.add(at.get, length.get)),
          text.set(i32.add(text.get, length.get)),
          byte.set(i32.loadByte(at.get)),
          when(is('"'), [reading.set(i32.of(0))], [must(is('\\')), ...readEscape]),
        ],
        [
          wide.set(i32.or(wide.get, bytes16.bits(part.get))),
          step(16),
          text.set(plus(text.get, 16)),
          must(isBefore(at.get, end.get)),
        ],
      ),
    ),
    length.set(i32.sub(text.get, texts.get)),
    step(1),
  ];
  const emitText = when(escaped.get, emit(token.escaped, i32.sub(plus(at.get, -1), start.get), start.get), [
    when(wide.get, emit(token.wide, length.get, texts.get), emit(token.text, length.get, texts.get)),
    texts.set(text.get),
  ]);

  /** First byte, middle byte and length of a key choose its bucket. */
  const half = i32.add(start.get, i32.shiftRight(length.get, one));
  const hash = i32.add(
    length.get,
    i32.add(
      i32.multiply(i32.loadByte(start.get), i32.load(open.get, table.firstFactor)),
      i32.multiply(i32.loadByte(half), i32.load(open.get, table.halfFactor)),
    ),
  );
  const bucket = i32.shiftLeft(i32.and(hash, i32.of(bucketCount - 1)), i32.of(2));
  const equalBytes = (offset: number): Code =>
    i64.from32(
      bytes16.bits(bytes16.areEqual(bytes16.load(start.get, offset), bytes16.load(found.get, offset))),
    );
  /** All bits of a key's bytes are set, and those behind it do not matter. */
  const isFound = i64.isZero(
    i64.not(
      i64.or(
        i64.or(equalBytes(0), i64.shiftLeft(equalBytes(16), i64.of(16n))),
        i64.shiftLeft(i64.of(-1n), i64.from32(length.get)),
      ),
    ),
  );
  const readKey = [
    state.set(i32.of(COLON)),
    wanted.set(i32.and(open.get, i32.areEqual(open.get, i32.of(everything)))),
    when(wanted.get, [emitText]),
    when(isBefore(i32.of(everything), open.get), [
      // An escape in a key is so rare that JSON.parse may have it.
      must(i32.areEqual(i32.sub(plus(at.get, -1), start.get), length.get)),
      found.set(i32.load(i32.add(open.get, bucket), table.buckets)),
      when(i32.areEqual(i32.load(found.get, key.length), length.get), [
        when(isFound, [
          ...emit(token.key, i32.load(found.get, key.number)),
          wanted.set(i32.load(found.get, key.wanted)),
        ]),
      ]),
    ]),
  ];

  const isDigit = isBefore(i32.sub(i32.loadByte(at.get), i32.of(0x30)), i32.of(10));
  const digits = [must(isDigit), repeatWhile(isDigit, step(1))];
  const stands = (letter: string): Code => i32.areEqual(i32.loadByte(at.get), i32.of(letter.charCodeAt(0)));
  const stepOver = (...letters: string[]): Code[] => letters.map((letter) => when(stands(letter), [step(1)]));
  const readNumber = [
    start.set(at.get),
    ...stepOver('-'),
    when(stands('0'), [step(1)], digits),
    when(stands('.'), [step(1), ...digits]),
    when(i32.areEqual(i32.or(i32.loadByte(at.get), i32.of(0x20)), i32.of(0x65)), [
      step(1),
      when(stands('-'), [step(1)], stepOver('+')),
      ...digits,
    ]),
    when(wanted.get, emit(token.number, i32.sub(at.get, start.get), start.get)),
  ];
  const readWord = (word: string, kind: number): Code[] => [
    must(i32.areEqual(i32.load(at.get, word.length - 4), i32.of(asWord(word.slice(-4))))),
    when(wanted.get, emit(kind)),
    step(word.length),
  ];
  const readScalar = [
    must(may(VALUE | FIRST_VALUE)),
    state.set(i32.of(AFTER)),
    when(is('t'), readWord('true', token.true), [
      when(is('f'), readWord('false', token.false), [
        when(is('n'), readWord('null', token.null), readNumber),
      ]),
    ]),
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

  /** The colon behind a key mostly stands there at once, or behind one space; anything else is left to the next turn. */
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
      [...readKey, ...readColon],
      [when(wanted.get, [emitText]), state.set(i32.of(AFTER))],
    ),
  ];
  const comma = [
    must(may(AFTER)),
    state.set(i32.of(VALUE)),
    wanted.set(open.get),
    when(inObject.get, [state.set(i32.of(KEY))]),
    step(1),
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
    tape.get,
  ];
  return assembleModule(declared, parameters, 1, body);
}

/** Four letters as they are loaded at once. */
function asWord(letters: string): number {
  return Buffer.from(letters).readInt32LE();
}
