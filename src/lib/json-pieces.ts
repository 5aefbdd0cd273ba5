/**
 * Texts in, JSON as UTF-8 bytes out. Pieces are gathered and put together once for many records: strings that grow
 * piece by piece would be copied again and again. Each character of a piece is one byte of UTF-8, so that V8 has one
 * byte for it too, and its length is known without counting.
 */
import { Room } from './batch-memory.ts';
import { detached } from './detached.ts';

export class JsonPieces {
  /** How many bytes the pieces have. */
  length = 0;
  /** The first `#count` of them count; the others are room that is there already. */
  readonly #pieces: string[] = [];
  #count = 0;
  #ascii = true;

  /** Begins anew, in the room that is there. */
  clear(): void {
    this.length = 0;
    this.#count = 0;
    this.#ascii = true;
  }

  /** ASCII as it stands. */
  put(json: string): void {
    // Not `push`, which V8 calls here instead of writing it out.
    this.#pieces[this.#count++] = json;
    this.length += json.length;
  }

  /**
   * What stands between the quotes of a JSON string: as JSON.stringify writes it, so a lone surrogate is escaped.
   * Returns the bytes of the text itself as UTF-8, where a lone surrogate is U+FFFD.
   */
  text(text: string): number {
    if (!special.test(text)) {
      this.put(text);
      return text.length;
    }
    const { json, bytes } = knownTexts.get(text) ?? escapeText(text);
    this.#ascii = false;
    this.put(json);
    return bytes;
  }

  /** In this room, or in a buffer of its own. */
  toBytes(room = new Room()): Uint8Array<ArrayBuffer> {
    const bytes = room.take(this.length);
    bytes.write(this.#join(), 'latin1');
    return bytes;
  }

  toString(): string {
    const text = this.#join();
    return this.#ascii ? text : Buffer.from(text, 'latin1').toString('utf8');
  }

  #join(): string {
    return this.#pieces.slice(0, this.#count).join('');
  }
}

/** All but the ASCII that JSON writes as it is. */
const special = /[^ !#-[\]-~]/;

interface EscapedText {
  readonly json: string;
  readonly bytes: number;
}

/** Names come back, and the second time one costs little. */
const knownTexts = new Map<string, EscapedText>();
const mostKnown = 4096;
const longestKnown = 40;

function escapeText(text: string): EscapedText {
  const json = Buffer.from(JSON.stringify(text), 'utf8').toString('latin1').slice(1, -1);
  const escaped = { json, bytes: Buffer.byteLength(text) };
  if (text.length > longestKnown) return escaped;
  if (knownTexts.size === mostKnown) knownTexts.clear();
  knownTexts.set(detached(text), escaped);
  return escaped;
}
