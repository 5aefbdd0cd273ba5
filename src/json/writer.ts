/** Writes JSON piece by piece, as UTF-8. */
import { batchMemory } from '../lib/batch-memory.ts';

/** A longer string would survive a collection of the young generation and be copied by it. */
const longestPending = 8 * 1024;
const smallest = 256 * 1024;
const nothing = Buffer.alloc(0);

export class JsonWriter {
  #bytes: Buffer<ArrayBuffer> = nothing;
  #flushed = 0;
  /** JSON that follows these bytes. */
  #pending = '';
  /** Number of bytes written. */
  length = 0;

  /** Writes ASCII text unchanged. */
  put(json: string) {
    this.#pending += json;
    this.length += json.length;
    if (this.#pending.length > longestPending) this.#flush();
  }

  /**
   * Writes the inside of a JSON string as JSON.stringify does, which escapes lone surrogates. Returns the UTF-8 length of the
   * unescaped text, in which a lone surrogate is U+FFFD.
   */
  text(text: string) {
    if (!special.test(text)) {
      this.#pending += text;
      this.length += text.length;
      return text.length;
    }
    const bytes = Buffer.byteLength(text);
    const escaped = escapable.test(text) ? JSON.stringify(text).slice(1, -1) : text;
    this.#pending += escaped;
    this.length += escaped === text ? bytes : Buffer.byteLength(escaped);
    return bytes;
  }

  /** Returns the written bytes in a buffer that belongs to the caller. Nothing may be written after that. */
  toBytes() {
    this.#flush();
    return this.#bytes === nothing ? new Uint8Array(0) : new Uint8Array(this.#bytes.buffer, 0, this.#flushed);
  }

  toString() {
    return this.#bytes.toString('utf8', 0, this.#flushed) + this.#pending;
  }

  #flush() {
    const length = this.length;
    const room = this.#bytes.length;
    // Equal sizes, so that the memory of one batch serves the next.
    if (length > room)
      this.#bytes = Buffer.from(batchMemory.widen(this.#bytes.buffer, Math.max(smallest, 2 * room, length)));
    this.#bytes.write(this.#pending, this.#flushed);
    this.#flushed = length;
    this.#pending = '';
  }
}

/** Matches everything except the ASCII that needs no escape in JSON. */
const special = /[^ !#-[\]-~]/;
/** Matches everything that may need an escape. */
const escapable = /["\\\u0000-\u001f\ud800-\udfff]/;
