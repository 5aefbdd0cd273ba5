/** An element that no stencil fits, and the slow way to write it, in; a stencil, or the resolve never to have one, out. */
import { isDeepStrictEqual } from 'node:util';
import { encodeBase32 } from './base32.ts';
import { hashText } from './hash-text.ts';
import type { Picker } from './json-pick.ts';
import { token } from './json-pick-wasm.ts';
import { type Span, TapeReader } from './json-tape.ts';
import { type Oddities, sampleTexts } from './stencil-samples.ts';
import {
  given,
  hole,
  type HoleKind,
  holeKind,
  how,
  item,
  type Layout,
  longestHole,
  longestSecret,
  noHole,
  row,
  type Run,
  slotCount,
  status,
  stencil,
} from './stencil-wasm.ts';
import { reserve } from './wasm-engine.ts';

/** What the slow way makes of a value. */
export interface Copy {
  /** JSON as UTF-8. */
  readonly bytes: Uint8Array;
  /** A number that grows by one with each byte of a text, and with nothing else. */
  readonly size: number;
  /** A number that is the same whatever the texts are. */
  readonly facts: number;
  readonly name: string;
  readonly id: string;
  /** Whatever else is to be said, the same whatever the texts are. */
  readonly remarks: unknown;
}

/** Undefined for what must not be written by a stencil. `given` is what comes with the element, if anything does. */
export type Copyist = (value: unknown, given: string) => Copy | undefined;

interface Hole {
  readonly kind: HoleKind;
  readonly place: number;
  readonly length: number;
  /** Address on the tape. */
  readonly token: number;
}

interface Item {
  readonly literal: Buffer;
  /** Number of the hole behind it. */
  readonly hole: number;
  readonly how: number;
}

/**
 * Bytes that the free texts of an element must have, tried in turn: the length of a message takes two bytes from 128 on,
 * so short texts in short elements make sizes that do not grow as the texts do.
 */
const leasts = [24, 48];

export const scratchBytes = 64 * 1024;
/** Parts of the scratch memory; what does not fit into them gets no stencil. */
const scratch = { row: 0, given: 4 * row.words, out: 128, tape: 24 * 1024, texts: 40 * 1024 } as const;
const kindNames = new Map<number, HoleKind>(
  Object.entries(holeKind).map(([name, number]) => [number, name as HoleKind]),
);

export class StencilMaker {
  readonly #picker: Picker;
  readonly #layout: Layout;
  readonly #run: Run;
  readonly #oddities: Oddities;
  readonly #seed: number;
  readonly #end: number;
  #next: number;
  #count = 0;
  readonly #remarks = new Map<number, unknown>();

  constructor(picker: Picker, layout: Layout, run: Run, oddities: Oddities, seed: number) {
    this.#picker = picker;
    this.#layout = layout;
    this.#run = run;
    this.#oddities = oddities;
    this.#seed = seed;
    this.#next = layout.stencils;
    this.#end = picker.base;
  }

  remarks(address: number): unknown {
    return this.#remarks.get(address);
  }

  /** As if there never had been any. */
  forget(): void {
    new Uint8Array(this.#picker.memory.buffer).fill(
      0,
      this.#layout.slots,
      this.#layout.slots + 4 * slotCount,
    );
    this.#next = this.#layout.stencils;
    this.#count = 0;
    this.#remarks.clear();
  }

  /**
   * `tape` is that of the element alone, `room` the address of `scratchBytes` that nobody needs, `givenAt` that of what
   * is given with the element, or zero.
   */
  make(tape: Span, room: number, copy: Copyist, givenAt = 0): void {
    const { memory } = this.#picker;
    reserve(memory, room + scratchBytes);
    const isShort = tape.end - tape.start <= scratch.texts - scratch.tape;
    if (!isShort || this.#try({ ...tape, givenAt }, room).status !== status.unknown) return;
    const holes = this.#holes(room);
    const address = this.#install(room);
    if (address === undefined) return;
    for (const least of leasts) {
      this.#write(address, stencil.least, least);
      const remarks = this.#prove({ ...tape, givenAt }, room, holes, address, copy, least);
      if (remarks === undefined) continue;
      this.#remarks.set(address, remarks.said);
      return;
    }
    // Elements like this one go the slow way for good.
    this.#write(address, stencil.items, 0);
  }

  /** Fills the stencil and holds it against the slow way; undefined for any difference. */
  #prove(
    tape: Element,
    room: number,
    holes: readonly Hole[],
    address: number,
    copy: Copyist,
    least: number,
  ): { readonly said: unknown } | undefined {
    let said: { readonly said: unknown } | undefined;
    for (const texts of sampleTexts(holes, this.#oddities, least)) {
      const filled = this.#fill(tape, room, holes, texts);
      const made = filled && this.#copy(filled, copy);
      if (filled === undefined || made === undefined) return undefined;
      if (said === undefined) {
        if (!this.#complete(address, made, holes, texts)) return undefined;
        said = { said: made.remarks };
      }
      if (!isDeepStrictEqual(made.remarks, said.said) || !this.#isEqual(filled, room, made)) return undefined;
    }
    return said;
  }

  #copy(tape: Filled, copy: Copyist): Copy | undefined {
    const reader = new TapeReader(this.#picker.memory.buffer, tape, tape.texts, this.#picker.tables);
    try {
      return copy(reader.valueAt(tape.start), tape.given);
    } catch {
      // Nobody asked for this text: what it breaks is not to be told.
      return undefined;
    }
  }

  #isEqual(tape: Element, room: number, made: Copy): boolean {
    const tried = this.#try(tape, room);
    if (tried.status !== status.written) return false;
    const keys = new Uint32Array(4);
    hashText(made.name.toLowerCase(), this.#seed, keys, 0);
    hashText(made.id, this.#seed, keys, 2);
    return (
      tried.size === made.size &&
      tried.facts === made.facts &&
      tried.name === made.name &&
      tried.id === made.id &&
      Buffer.compare(tried.bytes, made.bytes) === 0 &&
      isDeepStrictEqual(tried.keys, keys)
    );
  }

  /** What the program makes of an element. */
  #try({ start, end, givenAt }: Element, room: number) {
    const out = room + scratch.out;
    const givenEnd = givenAt === 0 ? 0 : givenAt + 4 * given.words;
    this.#run(start, end, room + scratch.row, out, room + scratch.tape, givenAt, givenEnd);
    const { buffer } = this.#picker.memory;
    const words = new Uint32Array(buffer, room + scratch.row, row.words);
    const isWritten = words[row.status] === status.written;
    const text = (field: number): string =>
      isWritten ? Buffer.from(buffer, words[field], words[field + 1]).toString('latin1') : '';
    return {
      status: words[row.status]!,
      size: words[row.size]!,
      facts: words[row.facts]!,
      keys: words.slice(row.keys, row.keys + 4),
      bytes: Buffer.from(buffer, out, words[row.end]! - out),
      name: text(row.name),
      id: text(row.id),
    };
  }

  #holes(room: number): Hole[] {
    const { buffer } = this.#picker.memory;
    const [end = 0] = new Uint32Array(buffer, room + scratch.row + 4 * row.holes, 1);
    const words = new Uint32Array(buffer, this.#layout.holes, (end - this.#layout.holes) / 4);
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

  /** The tape with other texts in the holes, in the scratch memory. */
  #fill(tape: Element, room: number, holes: readonly Hole[], texts: readonly string[]): Filled | undefined {
    const { buffer } = this.#picker.memory;
    const memory = Buffer.from(buffer);
    const words = new Uint32Array(buffer.slice(tape.start, tape.end));
    const textsStart = room + scratch.texts;
    const room16 = room + scratchBytes - 16;
    let next = textsStart;
    for (let at = 0; at < words.length; at += 2) {
      const type = words[at]! & 15;
      if (type !== token.text && type !== token.wide) continue;
      const place = words[at + 1]!;
      const end = place + (words[at]! >>> 4);
      const pieces: Buffer[] = [];
      let from = place;
      holes.forEach((one, number) => {
        if (one.token !== tape.start + 4 * at) return;
        pieces.push(memory.subarray(from, one.place), Buffer.from(texts[number]!));
        from = one.place + one.length;
      });
      const text = Buffer.concat([...pieces, memory.subarray(from, end)]);
      if (next + text.length > room16) return undefined;
      text.copy(memory, next);
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
    const text = this.#givenText(fields, texts[holes.findIndex(({ kind }) => kind === 'given')]);
    if (next + text.length > room16) return undefined;
    memory.write(text, next, 'latin1');
    const givenAt = room + scratch.given;
    new Uint32Array(buffer, givenAt, given.words).set([next, text.length, fields[given.head]!]);
    return { ...filled, givenAt, given: text };
  }

  /** What is given, with another text behind its head. */
  #givenText(fields: Uint32Array, tail: string | undefined): string {
    if (tail === undefined) return '';
    const memory = Buffer.from(this.#picker.memory.buffer);
    const place = fields[given.place]!;
    return memory.toString('latin1', place, place + fields[given.head]!) + tail;
  }

  /** Notes the signature that is in the memory; undefined where there is no room for more. */
  #install(room: number): number | undefined {
    const { memory } = this.#picker;
    const hash = new Uint32Array(memory.buffer, room + scratch.row, row.words)[row.hash]!;
    const length = this.#signatureLength(room);
    const padded = (length + 31) & ~15;
    const address = this.#allocate(stencil.signature + padded);
    if (address === undefined || this.#count >= slotCount / 2) return undefined;
    this.#count++;
    const bytes = new Uint8Array(memory.buffer);
    bytes.fill(0, address, address + stencil.signature + padded);
    bytes.copyWithin(address + stencil.signature, this.#layout.signature, this.#layout.signature + length);
    this.#write(address, stencil.signatureLength, length);
    this.#write(address, stencil.hash, hash);
    const slots = new Uint32Array(memory.buffer, this.#layout.slots, slotCount);
    let slot = hash % slotCount;
    while (slots[slot] !== 0) slot = (slot + 1) % slotCount;
    slots[slot] = address;
    return address;
  }

  #signatureLength(room: number): number {
    return new Uint32Array(this.#picker.memory.buffer, room + scratch.row, row.words)[row.size]!;
  }

  /** Writes down what stands between the holes, and how the holes are written. */
  #complete(address: number, made: Copy, holes: readonly Hole[], texts: readonly string[]): boolean {
    const items = findItems(made.bytes, holes, texts);
    const nameHole = texts.indexOf(made.name);
    const idHole = texts.indexOf(made.id);
    if (items === undefined || nameHole === -1 || idHole === -1) return false;
    const literals = items.reduce((sum, { literal }) => sum + literal.length + 16, 0);
    const start = this.#allocate(items.length * item.size + literals);
    if (start === undefined) return false;
    const memory = Buffer.from(this.#picker.memory.buffer);
    let literalAt = start + items.length * item.size;
    let size = made.size;
    items.forEach(({ literal, hole: number, how: manner }, place) => {
      const at = start + place * item.size;
      literal.copy(memory, literalAt);
      this.#write(at, item.literal, literalAt);
      this.#write(at, item.length, literal.length);
      this.#write(at, item.hole, number);
      this.#write(at, item.how, manner);
      literalAt += literal.length + 16;
      if (number !== noHole) size -= Buffer.byteLength(texts[number]!);
    });
    const fields = {
      items: start,
      itemCount: items.length,
      size,
      facts: made.facts,
      nameHole,
      idHole,
      room: literals + items.length * 2 * Math.max(longestHole, longestSecret) + 16,
    };
    for (const [field, value] of Object.entries(fields))
      this.#write(address, stencil[field as keyof typeof fields], value);
    return true;
  }

  #allocate(bytes: number): number | undefined {
    const address = this.#next;
    const next = (address + bytes + 15) & ~15;
    if (next > this.#end) return undefined;
    this.#next = next;
    return address;
  }

  #write(address: number, field: number, value: number): void {
    new DataView(this.#picker.memory.buffer).setUint32(address + field, value, true);
  }
}

/** The tape of an element, and where its given text is told; zero for none. */
interface Element extends Span {
  readonly givenAt: number;
}

interface Filled extends Element {
  readonly texts: Span;
  readonly given: string;
}

/** Undefined where the texts do not stand in the bytes one after the other. */
function findItems(
  bytes: Uint8Array,
  holes: readonly Hole[],
  texts: readonly string[],
): readonly Item[] | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: {
    readonly at: number;
    readonly length: number;
    readonly hole: number;
    readonly how: number;
  }[] = [];
  const search = (text: Buffer, hole: number, how: number): void => {
    for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, at + 1)) {
      found.push({ at, length: text.length, hole, how });
    }
  };
  texts.forEach((text, number) => {
    search(Buffer.from(JSON.stringify(text).slice(1, -1)), number, how.escaped);
    if (holes[number]!.kind === 'secret') {
      search(Buffer.from(encodeBase32(Buffer.from(text))), number, how.base32);
    }
  });
  found.sort((a, b) => a.at - b.at);
  const items: Item[] = [];
  let from = 0;
  for (const { at, length, hole, how } of found) {
    if (at < from) return undefined;
    items.push({ literal: all.subarray(from, at), hole, how });
    from = at + length;
  }
  items.push({ literal: all.subarray(from), hole: noHole, how: 0 });
  return items;
}
