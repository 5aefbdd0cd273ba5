/**
 * Splits a large array into chunks without reading them, so that worker threads can read and parse them.
 *
 * The borders between chunks are guessed: the bytes between two neighbouring elements, from the end of the one to the
 * first keys of the next, are searched for again a quarter of a megabyte further on. A guess is proved when the chunk is
 * parsed: if it is elements and nothing else, it ends where an element ends, because it began where one begins.
 */
import type { OpenFile } from '../lib/input.ts';
import { partBytes } from './element-cutter.ts';

/** From the first byte of an element to the last byte of another one. */
export interface SpeculativeChunk {
  readonly file: OpenFile;
  readonly offset: number;
  readonly length: number;
  /** The border between two earlier elements. */
  readonly border: Border;
}

/** Called once at most, when there is a border to search for. Undefined when the file has no random access. */
export type OpenForChunks = () => OpenFile | undefined;

/**
 * Size of the first chunk. The first ones are short, so that what the reader learns from them speeds up the others;
 * each may be as long as all before it.
 */
export const firstChunkBytes = 64 * 1024;
/** Bytes searched for the next border. Where elements are longer, the file is read without chunks. */
const windowBytes = 16 * 1024;
/** Bytes of a batch that are searched for a border to learn. */
const learnedBytes = 64 * 1024;
const space = String.raw`[ \t\n\r]*`;
const name = String.raw`"[^"\\]*"`;
/** An object whose first value is a string: the bytes before that string, and from its end to the second value. */
const opening = new RegExp(
  `^(\\{${space}${name}${space}:${space}")[^"\\\\]*("${space},${space}${name}${space}:)`,
);
const separator = new RegExp(`\\}${space},${space}$`);
/** More white space than any tool writes between elements. */
const longestSeparator = 256;

/** The bytes between two neighbouring elements; survives a structured clone. */
export interface Border {
  /** From the last byte of the one to the first string of the next. */
  readonly bytes: Uint8Array;
  /** How many of them are between the two elements. */
  readonly gap: number;
  /** From the end of that string to the second value. */
  readonly afterText: Uint8Array;
  /** Index of the comma in `bytes`. */
  readonly comma: number;
}

export class ChunkFinder {
  readonly #open: OpenForChunks;
  readonly #mostBytes: number;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  #border: Border | undefined;
  #opened: { readonly file: OpenFile | undefined } | undefined;
  #passedBytes = firstChunkBytes;

  constructor(open: OpenForChunks, mostBytes: number) {
    this.#open = open;
    this.#mostBytes = mostBytes;
  }

  /** Learns the border from elements separated by commas. */
  learn(elements: Uint8Array): void {
    this.#border = learnBorder(elements) ?? this.#border;
  }

  /** Adjacent chunks; the first one begins after the element that ends before `elementEnd`. */
  *chunksFrom(elementEnd: number): Generator<SpeculativeChunk> {
    if (this.#border === undefined) return;
    this.#opened ??= { file: this.#open() };
    const { file } = this.#opened;
    // The first chunk must begin where an element begins, or nothing would be proved.
    if (file === undefined || this.#find(file, elementEnd - 1, this.#border) !== 0) return;
    const { gap } = this.#border;
    for (let from = elementEnd + gap; ;) {
      const least = from + Math.min(this.#mostBytes, this.#passedBytes);
      const last = this.#find(file, least, this.#border);
      if (last === -1) return;
      const end = least + last + 1;
      this.#passedBytes += end - from;
      file.pass(end);
      yield { file, offset: from, length: end - from, border: this.#border };
      from = end + gap;
    }
  }

  /** Finds the first border from `offset` on; returns the distance of the element's last byte, or -1. */
  #find(file: OpenFile, offset: number, border: Border): number {
    return findBorder(this.#window.subarray(0, file.read(this.#window, offset)), 0, border);
  }
}

/** The first index from `from` on where one element seems to end and the next one to begin, or -1. */
function findBorder(bytes: Buffer, from: number, border: Border): number {
  for (let at = bytes.indexOf(border.bytes, from); at !== -1; at = bytes.indexOf(border.bytes, at + 1)) {
    const textEnd = bytes.indexOf(0x22, at + border.bytes.length);
    const after = bytes.subarray(textEnd, textEnd + border.afterText.length);
    if (textEnd !== -1 && after.equals(border.afterText)) return at;
  }
  return -1;
}

/** Offsets of commas in a chunk where it may be parsed in parts; these are guesses as well. */
export function guessCuts({ buffer, byteOffset, length }: Uint8Array, border: Border): number[] {
  const bytes = Buffer.from(buffer, byteOffset, length);
  const cuts: number[] = [];
  for (
    let at = findBorder(bytes, partBytes, border);
    at !== -1;
    at = findBorder(bytes, at + partBytes, border)
  ) {
    cuts.push(at + border.comma);
  }
  return cuts;
}

/** Undefined when the first element is not an object that begins with a string, or no similar one follows. */
function learnBorder({ buffer, byteOffset, length }: Uint8Array): Border | undefined {
  const text = Buffer.from(buffer, byteOffset, Math.min(length, learnedBytes)).toString('latin1');
  const [, before, after] = opening.exec(text) ?? [];
  if (before === undefined || after === undefined) return undefined;
  for (let at = text.indexOf(before, 1); at !== -1; at = text.indexOf(before, at + 1)) {
    const end = separator.exec(text.slice(Math.max(0, at - longestSeparator), at))?.[0];
    if (end === undefined || !text.startsWith(after, text.indexOf('"', at + before.length))) continue;
    return {
      bytes: Buffer.from(end + before, 'latin1'),
      gap: end.length - 1,
      comma: end.indexOf(','),
      afterText: Buffer.from(after, 'latin1'),
    };
  }
  return undefined;
}
