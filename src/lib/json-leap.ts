/**
 * Some elements of a large array in; the places of others far behind them out, without reading what stands between.
 * They are guessed: what stood between two neighbours, from the end of the one to the first keys of the next, is looked
 * for half a megabyte further, byte for byte. Between two such places lies a stretch, for somebody else to read. That it
 * is elements and nothing else shows when it is parsed; then it ends where an element ends, because it began where
 * one begins, and so does the next.
 */
import type { OpenFile } from './input.ts';

/** From an element's first byte to another one's last. */
export interface Stretch {
  readonly file: OpenFile;
  readonly offset: number;
  readonly length: number;
}

/**
 * The first ones are short, because what is learned from them makes the others fast; each may be as long as all
 * before it.
 */
export const firstStretchBytes = 64 * 1024;
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

export class Leaper {
  readonly #file: OpenFile;
  readonly #mostBytes: number;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  /** From the end of one element to the first text of the next. */
  #between: Buffer | undefined;
  /** Of `#between`, in front of the next element. */
  #gap = 0;
  #behindText = Buffer.alloc(0);
  #passed = firstStretchBytes;

  constructor(file: OpenFile, mostBytes: number) {
    this.#file = file;
    this.#mostBytes = mostBytes;
  }

  /** Elements with commas between them. Nothing is learned of what is no object, or has another key in front. */
  learn(elements: Uint8Array): void {
    const { buffer, byteOffset, length } = elements;
    const text = Buffer.from(buffer, byteOffset, Math.min(length, learnedBytes)).toString('latin1');
    const [, before, behind] = opening.exec(text) ?? [];
    if (before === undefined || behind === undefined) return;
    for (let at = text.indexOf(before, 1); at !== -1; at = text.indexOf(before, at + 1)) {
      const gap = separator.exec(text.slice(Math.max(0, at - longestSeparator), at))?.[0];
      if (gap !== undefined && text.startsWith(behind, text.indexOf('"', at + before.length))) {
        this.#between = Buffer.from(gap + before, 'latin1');
        this.#gap = gap.length - 1;
        this.#behindText = Buffer.from(behind, 'latin1');
        return;
      }
    }
  }

  /** One behind the other, the first one after the element that ends in front of `behind`. */
  *stretchesFrom(behind: number): Generator<Stretch> {
    // The first one has to begin where an element begins, or nothing would be proved.
    if (this.#find(behind - 1) !== 0) return;
    for (let from = behind + this.#gap; ;) {
      const least = from + Math.min(this.#mostBytes, this.#passed);
      const last = this.#find(least);
      if (last === -1) return;
      const end = least + last + 1;
      this.#passed += end - from;
      this.#file.pass(end);
      yield { file: this.#file, offset: from, length: end - from };
      from = end + this.#gap;
    }
  }

  /** Where, from `offset` on, the last byte of an element stands with another one behind it. */
  #find(offset: number): number {
    if (this.#between === undefined) return -1;
    const window = this.#window.subarray(0, this.#file.read(this.#window, offset));
    for (let at = window.indexOf(this.#between); at !== -1; at = window.indexOf(this.#between, at + 1)) {
      const textEnd = window.indexOf(0x22, at + this.#between.length);
      const behind = window.subarray(textEnd, textEnd + this.#behindText.length);
      if (textEnd !== -1 && behind.equals(this.#behindText)) return at;
    }
    return -1;
  }
}
