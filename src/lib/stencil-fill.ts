/** The tape of an element in; for other texts in its holes, a tape with these texts, in scratch memory, out. */
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

/** Undefined where there is no room for the texts. Good until the memory grows. */
export type Fill = (texts: readonly string[]) => Filled | undefined;

/** What one text of the tape is made of. */
interface Text {
  /** Its place on the tape, in words. */
  readonly at: number;
  readonly pieces: readonly Piece[];
}

/** Bytes that stay as they are, or the number of a hole. */
type Piece = { readonly bytes: Uint8Array; readonly isWide: boolean } | number;

/** `room` is the address of `scratchBytes` that nobody needs. */
export function prepareFill(memory: Memory, tape: Element, room: number, holes: readonly Hole[]): Fill {
  const { buffer } = memory;
  const all = Buffer.from(buffer);
  const words = new Uint32Array(buffer.slice(tape.start, tape.end));
  const plan = textsOf(all, words, tape, holes);
  const givenHole = holes.findIndex(({ kind }) => kind === 'given');
  const [tapeStart, textsStart] = [room + scratch.tape, room + scratch.texts];
  const textsEnd = room + scratchBytes - 16;
  return (texts) => {
    const fillings = texts.map((text) => piece(Buffer.from(text)));
    let next = textsStart;
    for (const { at, pieces } of plan) {
      const start = next;
      let isWide = false;
      for (const part of pieces) {
        const filling = typeof part === 'number' ? fillings[part]! : part;
        if (next + filling.bytes.length > textsEnd) return undefined;
        all.set(filling.bytes, next);
        next += filling.bytes.length;
        isWide ||= filling.isWide;
      }
      words[at] = (isWide ? token.wide : token.text) | ((next - start) << 4);
      words[at + 1] = start;
    }
    new Uint32Array(buffer, tapeStart, words.length).set(words);
    const filled = {
      start: tapeStart,
      end: tapeStart + words.byteLength,
      texts: { start: textsStart, end: next },
    };
    if (tape.givenAt === 0) return { ...filled, givenAt: 0, given: '' };
    const fields = new Uint32Array(buffer, tape.givenAt, given.words);
    const text = givenText(all, fields, texts[givenHole]);
    if (next + text.length > textsEnd) return undefined;
    all.write(text, next, 'latin1');
    const givenAt = room + scratch.given;
    new Uint32Array(buffer, givenAt, given.words).set([next, text.length, fields[given.head]!]);
    return { ...filled, givenAt, given: text };
  };
}

function textsOf(all: Buffer, words: Uint32Array, tape: Span, holes: readonly Hole[]): Text[] {
  const plan: Text[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const type = words[at]! & 15;
    if (type !== token.text && type !== token.wide) continue;
    const end = words[at + 1]! + (words[at]! >>> 4);
    const pieces: Piece[] = [];
    let from = words[at + 1]!;
    holes.forEach((hole, number) => {
      if (hole.token !== tape.start + 4 * at) return;
      pieces.push(piece(all.subarray(from, hole.place)), number);
      from = hole.place + hole.length;
    });
    plan.push({ at, pieces: [...pieces, piece(all.subarray(from, end))] });
  }
  return plan;
}

function piece(bytes: Uint8Array): Exclude<Piece, number> {
  return { bytes, isWide: bytes.some((byte) => byte >= 0x80) };
}

/** What is given, with another text behind its head. */
function givenText(all: Buffer, fields: Uint32Array, tail: string | undefined): string {
  if (tail === undefined) return '';
  const place = fields[given.place]!;
  return all.toString('latin1', place, place + fields[given.head]!) + tail;
}
