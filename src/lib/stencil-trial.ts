/** An element alone, and scratch memory, in; what the program makes of it, and the holes it has, out. */
import type { Span } from './json-tape.ts';
import { given, hole, type HoleKind, holeKind, type Layout, row, status } from './stencil-layout.ts';
import type { Run } from './stencil-wasm.ts';
import type { Memory } from './wasm-engine.ts';

/** The tape of an element, and where its given text is told; zero for none. */
export interface Element extends Span {
  readonly givenAt: number;
}

export interface Hole {
  readonly kind: HoleKind;
  readonly place: number;
  readonly length: number;
  /** Address on the tape. */
  readonly token: number;
}

export const scratchBytes = 64 * 1024;
/** Parts of the scratch memory; what does not fit into them gets no stencil. */
export const scratch = { row: 0, given: 4 * row.words, out: 128, tape: 24 * 1024, texts: 40 * 1024 } as const;

const kindNames = new Map<number, HoleKind>(
  Object.entries(holeKind).map(([name, number]) => [number, name as HoleKind]),
);

/** What the program makes of an element; of what is unknown, `size` is the length of the signature. */
export function tryElement(memory: Memory, run: Run, { start, end, givenAt }: Element, room: number) {
  const out = room + scratch.out;
  const givenEnd = givenAt === 0 ? 0 : givenAt + 4 * given.words;
  run(start, end, room + scratch.row, out, room + scratch.tape, givenAt, givenEnd);
  const { buffer } = memory;
  const words = new Uint32Array(buffer, room + scratch.row, row.words);
  const isWritten = words[row.status] === status.written;
  const text = (field: number): string =>
    isWritten ? Buffer.from(buffer, words[field], words[field + 1]).toString('latin1') : '';
  return {
    status: words[row.status]!,
    size: words[row.size]!,
    facts: words[row.facts]!,
    hash: words[row.hash]!,
    keys: words.slice(row.keys, row.keys + 4),
    bytes: Buffer.from(buffer, out, words[row.end]! - out),
    name: text(row.name),
    id: text(row.id),
  };
}

/** Those of the element that was tried last. */
export function holesOf(memory: Memory, layout: Layout, room: number): Hole[] {
  const { buffer } = memory;
  const [end = 0] = new Uint32Array(buffer, room + scratch.row + 4 * row.holes, 1);
  const words = new Uint32Array(buffer, layout.holes, (end - layout.holes) / 4);
  return Array.from({ length: words.length / hole.words }, (_, number) => {
    const at = number * hole.words;
    return {
      kind: kindNames.get(words[at + hole.kind]!)!,
      place: words[at + hole.place]!,
      length: words[at + hole.length]!,
      token: words[at + hole.token]!,
    };
  });
}
