/** The tape of an element, and other texts for its holes, in; a tape with these texts out, in scratch memory. */
import { token } from './json-pick-layout.ts';
import type { Span } from './json-tape.ts';
import { given } from './stencil-layout.ts';
import { type Element, type Hole, scratch, scratchBytes } from './stencil-trial.ts';
import type { Memory } from './wasm-engine.ts';

export interface Filled extends Element {
  readonly texts: Span;
  /** The text itself. */
  readonly given: string;
}

/** Undefined where there is no room for the texts. */
export function fillHoles(
  memory: Memory,
  tape: Element,
  room: number,
  holes: readonly Hole[],
  texts: readonly string[],
): Filled | undefined {
  const { buffer } = memory;
  const all = Buffer.from(buffer);
  const words = new Uint32Array(buffer.slice(tape.start, tape.end));
  const textsStart = room + scratch.texts;
  const room16 = room + scratchBytes - 16;
  let next = textsStart;
  for (let at = 0; at < words.length; at += 2) {
    const type = words[at]! & 15;
    if (type !== token.text && type !== token.wide) continue;
    const own = holes.flatMap((hole, number) =>
      hole.token === tape.start + 4 * at ? [{ ...hole, text: texts[number]! }] : [],
    );
    const place = words[at + 1]!;
    const text = exchange(all, { start: place, end: place + (words[at]! >>> 4) }, own);
    if (next + text.length > room16) return undefined;
    text.copy(all, next);
    const isWide = text.some((byte) => byte >= 0x80);
    words[at] = (isWide ? token.wide : token.text) | (text.length << 4);
    words[at + 1] = next;
    next += text.length;
  }
  const start = room + scratch.tape;
  new Uint32Array(buffer, start, words.length).set(words);
  const filled = { start, end: start + words.byteLength, texts: { start: textsStart, end: next } };
  if (tape.givenAt === 0) return { ...filled, givenAt: 0, given: '' };
  const fields = new Uint32Array(buffer, tape.givenAt, given.words);
  const text = givenText(all, fields, texts[holes.findIndex(({ kind }) => kind === 'given')]);
  if (next + text.length > room16) return undefined;
  all.write(text, next, 'latin1');
  const givenAt = room + scratch.given;
  new Uint32Array(buffer, givenAt, given.words).set([next, text.length, fields[given.head]!]);
  return { ...filled, givenAt, given: text };
}

/** The bytes of `span`, with other texts in the holes. */
function exchange(all: Buffer, span: Span, holes: readonly (Hole & { readonly text: string })[]): Buffer {
  const pieces: Buffer[] = [];
  let from = span.start;
  for (const { place, length, text } of holes) {
    pieces.push(all.subarray(from, place), Buffer.from(text));
    from = place + length;
  }
  return Buffer.concat([...pieces, all.subarray(from, span.end)]);
}

/** What is given, with another text behind its head. */
function givenText(all: Buffer, fields: Uint32Array, tail: string | undefined): string {
  if (tail === undefined) return '';
  const place = fields[given.place]!;
  return all.toString('latin1', place, place + fields[given.head]!) + tail;
}
