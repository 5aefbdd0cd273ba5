/**
 * The program behind `stencils.ts`, in WebAssembly: a batch of elements in; of each for which there is a stencil what
 * is to be written out, of the others their tape (`json-pick-wasm.ts`).
 *
 * What an element has beside its holes is its signature: tokens, and texts that are no holes. Elements of one signature
 * share one stencil: literal text by turns with holes. Elements of one outline have one signature, so they are found
 * without a tape.
 */
import { base32Alphabet } from './base32.ts';
import { stoppedAt, textEnd } from './json-pick-layout.ts';
import { pickParameters } from './json-pick-wasm.ts';
import { type Layout, row, status, stencil } from './stencil-layout.ts';
import { writeClasses } from './stencil-wasm-classes.ts';
import { codeToFind } from './stencil-wasm-find.ts';
import { codeToHash } from './stencil-wasm-keys.ts';
import { allOf, bump, createMachine, isByte, no, not, yes } from './stencil-wasm-machine.ts';
import { codeToMatch } from './stencil-wasm-outline.ts';
import { codeToRead } from './stencil-wasm-read.ts';
import { codeToWrite } from './stencil-wasm-write.ts';
import { assembleModule, callGiven, type Code, giveBack, i32, repeatWhile, when } from './wasm-code.ts';
import { type Memory, type Program, startProgram } from './wasm-engine.ts';

/** Addresses. */
export interface Task {
  /** The batch, behind which 64 spaces stand; or zeros where there is one element, and its tape. */
  readonly from: number;
  readonly to: number;
  /** Where the texts of the tape are to go. */
  readonly texts: number;
  /** Where the tape is to go, and the end of the one that is there already. */
  readonly tape: number;
  readonly tapeEnd: number;
  /** Whether outlines are to be tried. */
  readonly outlines: boolean;
  readonly rows: number;
  readonly rowsEnd: number;
  readonly out: number;
  readonly outEnd: number;
  /** Zeros where nothing is given. */
  readonly givens: number;
  readonly givensEnd: number;
}

/** Gives the end of the rows; zero for what is not JSON, or too unusual. */
export type Run = (task: Task) => number;

/** `pick` is the program of `json-pick-wasm.ts`, `wanted` what it is to look for, `seed` that of `hashText`. */
export function startStencilProgram(
  pick: Program,
  wanted: number,
  layout: Layout,
  seed: number,
): Run | undefined {
  const program = startProgram(assembleProgram(layout, wanted, seed), pick);
  if (program === undefined) return undefined;
  const bytes = new Uint8Array(pick.memory.buffer);
  writeClasses(bytes, layout);
  bytes.set(Buffer.from(base32Alphabet), layout.base32);
  return ({ from, to, texts, outlines, tape, tapeEnd, rows, rowsEnd, out, outEnd, givens, givensEnd }) => {
    const root = outlines ? layout.firstNode : layout.noNode;
    return program.run(from, to, texts, root, tape, tapeEnd, rows, rowsEnd, out, outEnd, givens, givensEnd);
  };
}

/** Behind the last token that `Run` has written. */
export function endOfTape(memory: Memory): number {
  return new Uint32Array(memory.buffer, stoppedAt, 1)[0]!;
}

function assembleProgram(layout: Layout, wanted: number, seed: number): Uint8Array<ArrayBuffer> {
  const machine = createMachine(layout);
  const { declared, parameters, raw, rawEnd, texts, tape, tapeEnd, rows, rowsEnd, out, outEnd } = machine;
  const { givens, more, settled, givenHoles, fits, depth, reading, signature, holes, kind, free } = machine;
  const { names, escapes, length, value, found, size, byte, tell } = machine;
  const { readToken, takeGiven, checkWhole, noteHole } = codeToRead(machine);
  const match = codeToMatch(machine, checkWhole, noteHole);
  const { hashSignature, lookUp } = codeToFind(machine);
  const writeElement = codeToWrite(machine);
  const hashHole = codeToHash(machine, seed);
  const must = (condition: Code): Code => when(condition, [], [giveBack(no)]);

  const mayBeWritten = allOf(
    not(not(i32.load(found.get, stencil.items))),
    not(i32.isLess(free.get, i32.load(found.get, stencil.least))),
    i32.isLess(i32.add(out.get, i32.load(found.get, stencil.room)), outEnd.get),
  );
  const write = [
    tell(row.stencil, found.get),
    tell(row.status, i32.of(status.written)),
    ...writeElement,
    tell(row.size, size.get),
    tell(row.facts, i32.load(found.get, stencil.facts)),
    ...hashHole(i32.load(found.get, stencil.nameHole), true, row.keys, row.name),
    ...hashHole(i32.load(found.get, stencil.idHole), false, row.keys + 2, row.id),
  ];
  /** By its tape, in the long way. */
  const settle = [
    ...hashSignature,
    tell(row.hash, value.get),
    ...lookUp,
    when(
      found.get,
      [tell(row.stencil, found.get), settled.set(mayBeWritten)],
      [tell(row.status, i32.of(status.unknown)), tell(row.size, length.get)],
    ),
  ];
  const forgetHoles = [free.set(no), names.set(no), kind.set(no), escapes.set(no)];
  const matchOutline = [
    givenHoles.set(holes.get),
    ...match,
    when(settled.get, [
      settled.set(mayBeWritten),
      tell(row.outlined, settled.get),
      when(not(settled.get), [raw.set(i32.load(rows.get, 4 * row.start))]),
    ]),
    when(not(settled.get), [...forgetHoles, fits.set(yes), holes.set(givenHoles.get)]),
  ];
  const pick = [
    tapeEnd.set(callGiven(raw.get, rawEnd.get, texts.get, tape.get, i32.of(wanted), yes)),
    must(tapeEnd.get),
    texts.set(i32.load(i32.of(textEnd))),
    raw.set(i32.load(i32.of(stoppedAt))),
  ];
  const readTape = [
    when(raw.get, pick),
    depth.set(no),
    reading.set(yes),
    repeatWhile(reading.get, ...readToken),
    when(fits.get, settle),
  ];
  const isSpace = [' ', '\n', '\r', '\t'].map((letter) => isByte(byte.get, letter));
  const skipSpace = [
    byte.set(i32.loadByte(raw.get)),
    repeatWhile(
      i32.and(
        isSpace.reduce((some, one) => i32.or(some, one)),
        i32.isLess(raw.get, rawEnd.get),
      ),
      raw.set(i32.add(raw.get, yes)),
      byte.set(i32.loadByte(raw.get)),
    ),
  ];
  /** A comma, or the end. */
  const goOn = [
    ...skipSpace,
    more.set(i32.isLess(raw.get, rawEnd.get)),
    when(more.get, [must(isByte(byte.get, ',')), bump(raw, 1), ...skipSpace]),
  ];
  const body = [
    i32.store(textEnd, texts.get),
    more.set(yes),
    repeatWhile(
      more.get,
      must(i32.isLess(rows.get, rowsEnd.get)),
      when(raw.get, skipSpace),
      tell(row.status, i32.of(status.left)),
      tell(row.tape, tape.get),
      tell(row.start, raw.get),
      tell(row.outlined, no),
      fits.set(yes),
      settled.set(no),
      ...forgetHoles,
      signature.set(i32.of(layout.signature)),
      holes.set(i32.of(layout.holes)),
      when(givens.get, takeGiven),
      when(i32.and(fits.get, i32.isMore(raw.get, no)), matchOutline),
      when(not(settled.get), readTape),
      when(settled.get, write),
      tell(row.end, out.get),
      tell(row.holes, holes.get),
      bump(rows, 4 * row.words),
      more.set(no),
      when(raw.get, goOn),
    ),
    i32.store(stoppedAt, tape.get),
    rows.get,
  ];
  return assembleModule(declared, parameters, { callParameters: pickParameters }, body);
}
