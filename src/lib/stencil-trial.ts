/** An element alone, and scratch memory, in; what the program makes of it, and the holes it has, out. */
import type { Span } from './json-tape.ts';
import { given, hole, type HoleKind, holeKind, type Layout, row, status } from './stencil-layout.ts';
import type { Run, Task } from './stencil-wasm.ts';
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

export const scratchBytes = 80 * 1024;
/** Parts of the scratch memory; what does not fit into them gets no stencil. */
export const scratch = {
  row: 0,
  given: 4 * row.words,
  out: 128,
  tape: 24 * 1024,
  texts: 40 * 1024,
  raw: 64 * 1024,
} as const;

const kindNames = new Map<number, HoleKind>(
  Object.entries(holeKind).map(([name, number]) => [number, name as HoleKind]),
);

/** What the program makes of an element; of what is unknown, `size` is the length of the signature. */
export function tryElement(memory: Memory, run: Run, { start, end, givenAt }: Element, room: number) {
  run({ ...placesIn(room, givenAt), from: 0, to: 0, tape: start, tapeEnd: end, outlines: false });
  return resultIn(memory, room);
}

/** The same of an element of which there are only the bytes; undefined where it is too long for that, or no JSON. */
export function tryBytes(
  memory: Memory,
  run: Run,
  bytes: Uint8Array,
  { givenAt, outlines }: { readonly givenAt: number; readonly outlines: boolean },
  room: number,
): ReturnType<typeof resultIn> | undefined {
  const from = room + scratch.raw;
  const to = from + bytes.length;
  if (to + spaces > room + scratchBytes) return undefined;
  const all = new Uint8Array(memory.buffer);
  all.set(bytes, from);
  all.fill(0x20, to, to + spaces);
  const end = run({ ...placesIn(room, givenAt), from, to, tape: room + scratch.tape, tapeEnd: 0, outlines });
  return end === 0 ? undefined : resultIn(memory, room);
}

/** Behind the bytes of an element, because they are read in larger steps. */
const spaces = 64;

function placesIn(
  room: number,
  givenAt: number,
): Omit<Task, 'from' | 'to' | 'tape' | 'tapeEnd' | 'outlines'> {
  return {
    texts: room + scratch.texts,
    rows: room + scratch.row,
    rowsEnd: room + scratch.row + 4 * row.words,
    out: room + scratch.out,
    outEnd: room + scratch.tape,
    givens: givenAt,
    givensEnd: givenAt === 0 ? 0 : givenAt + 4 * given.words,
  };
}

function resultIn({ buffer }: Memory, room: number) {
  const out = room + scratch.out;
  const words = new Uint32Array(buffer, room + scratch.row, row.words);
  const isWritten = words[row.status] === status.written;
  const text = (field: number): string =>
    isWritten ? Buffer.from(buffer, words[field], words[field + 1]).toString('latin1') : '';
  return {
    status: words[row.status]!,
    size: words[row.size]!,
    facts: words[row.facts]!,
    hash: words[row.hash]!,
    stencil: words[row.stencil]!,
    isOutlined: words[row.outlined] === 1,
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
