/**
 * The program behind `stencils.ts`, in WebAssembly: the tape of a batch (`json-pick-wasm.ts`) in; of each element for
 * which there is a stencil what is to be written out, of the others that they are left.
 *
 * What an element has beside its holes is its signature: tokens, and texts that are no holes. Elements of one signature
 * share one stencil: literal text by turns with holes.
 */
import { base32Alphabet } from './base32.ts';
import { type Layout, row, status, stencil } from './stencil-layout.ts';
import { writeClasses } from './stencil-wasm-classes.ts';
import { codeToFind } from './stencil-wasm-find.ts';
import { codeToHash } from './stencil-wasm-keys.ts';
import { allOf, bump, createMachine, no, not, yes } from './stencil-wasm-machine.ts';
import { codeToRead } from './stencil-wasm-read.ts';
import { codeToWrite } from './stencil-wasm-write.ts';
import { assembleModule, i32, repeatWhile, when } from './wasm-code.ts';
import { type Memory, startProgram } from './wasm-engine.ts';

/** `givens` and its end are zero where nothing is given; gives the end of the rows. */
export type Run = (
  tape: number,
  tapeEnd: number,
  rows: number,
  out: number,
  outEnd: number,
  givens: number,
  givensEnd: number,
) => number;

/** Undefined where WebAssembly is missing. `seed` is that of `hashText`; gives the end of the rows. */
export function startStencilProgram(memory: Memory, layout: Layout, seed: number): Run | undefined {
  const program = startProgram(assembleProgram(layout, seed), memory);
  if (program === undefined) return undefined;
  const bytes = new Uint8Array(memory.buffer);
  writeClasses(bytes, layout);
  bytes.set(Buffer.from(base32Alphabet), layout.base32);
  return program.run;
}

function assembleProgram(layout: Layout, seed: number): Uint8Array<ArrayBuffer> {
  const machine = createMachine(layout);
  const { declared, parameters, tape, tapeEnd, rows, out, outEnd, givens } = machine;
  const { fits, depth, reading, signature, holes, kind, free, names } = machine;
  const { length, value, found, size, tell } = machine;
  const { readToken, takeGiven } = codeToRead(machine);
  const { hashSignature, lookUp } = codeToFind(machine);
  const writeElement = codeToWrite(machine);
  const hashHole = codeToHash(machine, seed);

  const mayBeWritten = allOf(
    not(not(i32.load(found.get, stencil.items))),
    not(i32.isLess(free.get, i32.load(found.get, stencil.least))),
    i32.isLess(i32.add(out.get, i32.load(found.get, stencil.room)), outEnd.get),
  );
  const settle = [
    ...hashSignature,
    tell(row.hash, value.get),
    ...lookUp,
    when(
      found.get,
      [
        tell(row.stencil, found.get),
        when(mayBeWritten, [
          tell(row.status, i32.of(status.written)),
          ...writeElement,
          tell(row.size, size.get),
          tell(row.facts, i32.load(found.get, stencil.facts)),
          ...hashHole(i32.load(found.get, stencil.nameHole), true, row.keys, row.name),
          ...hashHole(i32.load(found.get, stencil.idHole), false, row.keys + 2, row.id),
        ]),
      ],
      [tell(row.status, i32.of(status.unknown)), tell(row.size, length.get)],
    ),
  ];
  const body = [
    repeatWhile(
      i32.isLess(tape.get, tapeEnd.get),
      tell(row.status, i32.of(status.left)),
      tell(row.tape, tape.get),
      fits.set(yes),
      depth.set(no),
      kind.set(no),
      free.set(no),
      names.set(no),
      signature.set(i32.of(layout.signature)),
      holes.set(i32.of(layout.holes)),
      when(givens.get, takeGiven),
      reading.set(yes),
      repeatWhile(reading.get, ...readToken),
      when(fits.get, settle),
      tell(row.end, out.get),
      tell(row.holes, holes.get),
      bump(rows, 4 * row.words),
    ),
    rows.get,
  ];
  return assembleModule(declared, parameters, 'given', body);
}
