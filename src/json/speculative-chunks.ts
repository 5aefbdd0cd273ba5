/**
 * Some elements of a large array in; the places of others far behind them out, without reading what stands between.
 * They are guessed: what stood between two neighbours, from the end of the one to the first keys of the next, is looked
 * for half a megabyte further, byte for byte. Between two such places lies a chunk, for somebody else to read. That it
 * is elements and nothing else shows when it is parsed; then it ends where an element ends, because it began where
 * one begins, and so does the next.
 */
import type { OpenFile } from '../lib/input.ts';
import { partBytes } from './element-cutter.ts';

/** From an element's first byte to another one's last. */
export interface SpeculativeChunk {
  readonly file: OpenFile;
  readonly offset: number;
  readonly length: number;
  /** What stood between two elements before it. */
  readonly border: Border;
}

/** Called once at most, when there is something to look for. Undefined: it cannot be read from any place. */
export type OpenForChunks = () => OpenFile | undefined;

/**
 * The first ones are short, because what is learned from them makes the others fast; each may be as long as all
 * before it.
 */
export const firstChunkBytes = 64 * 1024;
/** So much is looked through for the next element; longer ones are left to whoever reads all. */
const windowBytes = 16 * 1024;
/** Of the elements to learn from. */
const learnedBytes = 64 * 1024;
const space = String.raw`[ \t\n\r]*`;
const name = String.raw`"[^"\\]*"`;
/** An object whose first value is a text: what stands before that text, and from its end to the second value. */
const opening = new RegExp(
  `^(\\{${space}${name}${space}:${space}")[^"\\\\]*("${space},${space}${name}${space}:)`,
);
const separator = new RegExp(`\\}${space},${space}$`);
/** More white space than anybody writes. */
const longestSeparator = 256;

/** What stands between two neighbours; survives a structured clone. */
export interface Border {
  /** From the last byte of the one to the first text of the next. */
  readonly bytes: Uint8Array;
  /** So many of them, without the first, stand in front of the next. */
  readonly gap: number;
  /** From the end of that text to the second value. */
  readonly behindText: Uint8Array;
  /** Where in `bytes` the comma stands. */
  readonly comma: number;
}

export class ChunkFinder {
  readonly #open: OpenForChunks;
  readonly #mostBytes: number;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  #border: Border | undefined;
  #opened: { readonly file: OpenFile | undefined } | undefined;
  #passed = firstChunkBytes;

  constructor(open: OpenForChunks, mostBytes: number) {
    this.#open = open;
    this.#mostBytes = mostBytes;
  }

  /** Elements with commas between them. */
  learn(elements: Uint8Array): void {
    this.#border = learnBorder(elements) ?? this.#border;
  }

  /** One behind the other, the first one after the element that ends in front of `behind`. */
  *chunksFrom(behind: number): Generator<SpeculativeChunk> {
    if (this.#border === undefined) return;
    this.#opened ??= { file: this.#open() };
    const { file } = this.#opened;
    // The first one has to begin where an element begins, or nothing would be proved.
    if (file === undefined || this.#find(file, behind - 1, this.#border) !== 0) return;
    const { gap } = this.#border;
    for (let from = behind + gap; ;) {
      const least = from + Math.min(this.#mostBytes, this.#passed);
      const last = this.#find(file, least, this.#border);
      if (last === -1) return;
      const end = least + last + 1;
      this.#passed += end - from;
      file.pass(end);
      yield { file, offset: from, length: end - from, border: this.#border };
      from = end + gap;
    }
  }

  /** Where, from `offset` on, the last byte of an element stands with another one behind it. */
  #find(file: OpenFile, offset: number, border: Border): number {
    return findBorder(this.#window.subarray(0, file.read(this.#window, offset)), 0, border);
  }
}

/** The first place from `from` on where one element seems to end and the next one to begin; -1 for none. */
function findBorder(bytes: Buffer, from: number, border: Border): number {
  for (let at = bytes.indexOf(border.bytes, from); at !== -1; at = bytes.indexOf(border.bytes, at + 1)) {
    const textEnd = bytes.indexOf(0x22, at + border.bytes.length);
    const behind = bytes.subarray(textEnd, textEnd + border.behindText.length);
    if (textEnd !== -1 && behind.equals(border.behindText)) return at;
  }
  return -1;
}

/** RecordNumbers of commas in a speculative chunk where it may be parsed in parts: guesses as well. */
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

/** Undefined where the first element is no object with a text in front, or none like it follows. */
function learnBorder({ buffer, byteOffset, length }: Uint8Array): Border | undefined {
  const text = Buffer.from(buffer, byteOffset, Math.min(length, learnedBytes)).toString('latin1');
  const [, before, behind] = opening.exec(text) ?? [];
  if (before === undefined || behind === undefined) return undefined;
  for (let at = text.indexOf(before, 1); at !== -1; at = text.indexOf(before, at + 1)) {
    const end = separator.exec(text.slice(Math.max(0, at - longestSeparator), at))?.[0];
    if (end === undefined || !text.startsWith(behind, text.indexOf('"', at + before.length))) continue;
    return {
      bytes: Buffer.from(end + before, 'latin1'),
      gap: end.length - 1,
      comma: end.indexOf(','),
      behindText: Buffer.from(behind, 'latin1'),
    };
  }
  return undefined;
}
