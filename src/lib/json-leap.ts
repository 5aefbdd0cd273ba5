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

/** Called once at most, when there is something to look for. Undefined: it cannot be read from any place. */
export type OpenForStretches = () => OpenFile | undefined;

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

/** What stands between two neighbours. */
interface Border {
  /** From the last byte of the one to the first text of the next. */
  readonly bytes: Buffer;
  /** So many of them, without the first, stand in front of the next. */
  readonly gap: number;
  /** From the end of that text to the second value. */
  readonly behindText: Buffer;
}

export class Leaper {
  readonly #open: OpenForStretches;
  readonly #mostBytes: number;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  #border: Border | undefined;
  #opened: { readonly file: OpenFile | undefined } | undefined;
  #passed = firstStretchBytes;

  constructor(open: OpenForStretches, mostBytes: number) {
    this.#open = open;
    this.#mostBytes = mostBytes;
  }

  /** Elements with commas between them. */
  learn(elements: Uint8Array): void {
    this.#border = learnBorder(elements) ?? this.#border;
  }

  /** One behind the other, the first one after the element that ends in front of `behind`. */
  *stretchesFrom(behind: number): Generator<Stretch> {
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
      yield { file, offset: from, length: end - from };
      from = end + gap;
    }
  }

  /** Where, from `offset` on, the last byte of an element stands with another one behind it. */
  #find(file: OpenFile, offset: number, { bytes, behindText }: Border): number {
    const window = this.#window.subarray(0, file.read(this.#window, offset));
    for (let at = window.indexOf(bytes); at !== -1; at = window.indexOf(bytes, at + 1)) {
      const textEnd = window.indexOf(0x22, at + bytes.length);
      const behind = window.subarray(textEnd, textEnd + behindText.length);
      if (textEnd !== -1 && behind.equals(behindText)) return at;
    }
    return -1;
  }
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
      behindText: Buffer.from(behind, 'latin1'),
    };
  }
  return undefined;
}
