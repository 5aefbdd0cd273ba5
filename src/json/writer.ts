/**
 * Writes JSON piece by piece. Each character of the internal string stands for one byte of UTF-8, so that V8 stores it
 * in one byte too and the conversion to bytes is a single copy.
 */
import { batchMemory } from '../lib/batch-memory.ts';

/** A longer string would outlive a collection of the young generation, and be copied by it. */
const longestPending = 8 * 1024;
const smallest = 256 * 1024;
const nothing = Buffer.alloc(0);

export class JsonWriter {
  #bytes: Buffer<ArrayBuffer> = nothing;
  #flushed = 0;
  /** Behind those bytes. */
  #pending = '';
  #ascii = true;

  /** Bytes written. */
  get length(): number {
    return this.#flushed + this.#pending.length;
  }

  /** Starts again with nothing written. */
  clear(): void {
    this.#flushed = 0;
    this.#pending = '';
    this.#ascii = true;
  }

  /** Writes ASCII unchanged. */
  put(json: string): void {
    this.#pending += json;
    if (this.#pending.length > longestPending) this.#flush();
  }

  /**
   * Writes the inside of a JSON string as JSON.stringify does, which escapes a lone surrogate. Returns the length of
   * the unescaped text as UTF-8, where a lone surrogate is U+FFFD.
   */
  text(text: string): number {
    if (!special.test(text)) {
      this.#pending += text;
      return text.length;
    }
    const size = Buffer.byteLength(text);
    this.#pending += escapeText(text);
    this.#ascii = false;
    return size;
  }

  /** What is written, in a buffer that belongs to the receiver; nothing is left here. */
  toBytes(): Uint8Array<ArrayBuffer> {
    this.#flush();
    const bytes =
      this.#bytes === nothing ? new Uint8Array(0) : new Uint8Array(this.#bytes.buffer, 0, this.#flushed);
    this.#bytes = nothing;
    this.clear();
    return bytes;
  }

  toString(): string {
    const written = this.#bytes.toString('latin1', 0, this.#flushed) + this.#pending;
    return this.#ascii ? written : Buffer.from(written, 'latin1').toString('utf8');
  }

  #flush(): void {
    const length = this.length;
    if (length > this.#bytes.length) this.#widen(length);
    this.#bytes.write(this.#pending, this.#flushed, 'latin1');
    this.#flushed = length;
    this.#pending = '';
  }

  #widen(length: number): void {
    const wider = Buffer.from(batchMemory.allocate(Math.max(smallest, 2 * length)));
    this.#bytes.copy(wider, 0, 0, this.#flushed);
    batchMemory.release(this.#bytes.buffer);
    this.#bytes = wider;
  }
}

/** Everything except the ASCII that needs no escape in JSON. */
const special = /[^ !#-[\]-~]/;

/** One character for each byte of UTF-8. */
function escapeText(text: string): string {
  let written = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) written += unit < 0x20 || unit === 0x22 || unit === 0x5c ? escapeUnit(unit) : text[i];
    else if (unit < 0x800) written += fromCharCode(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else if (unit < 0xd800 || unit > 0xdfff) {
      written += fromCharCode(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
    } else {
      const next = text.charCodeAt(i + 1);
      if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) written += escapeUnit(unit);
      else {
        const point = 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00);
        written += fromCharCode(
          0xf0 | (point >> 18),
          0x80 | ((point >> 12) & 0x3f),
          0x80 | ((point >> 6) & 0x3f),
          0x80 | (point & 0x3f),
        );
        i++;
      }
    }
  }
  return written;
}

const { fromCharCode } = String;

function escapeUnit(unit: number): string {
  return JSON.stringify(fromCharCode(unit)).slice(1, -1);
}
