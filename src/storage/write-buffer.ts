/** Texts and bytes in, large blocks out: few system calls, and no string is kept. */
const blockSize = 256 * 1024;

export class WriteBuffer {
  readonly #flush: (block: Uint8Array) => void;
  readonly #block = Buffer.allocUnsafeSlow(blockSize);
  #used = 0;

  /** `flush` gets a block that is used again as soon as it returns. */
  constructor(flush: (block: Uint8Array) => void) {
    this.#flush = flush;
  }

  /** Takes a chunk; returns its length in bytes. Lone surrogates become U+FFFD, as everywhere in UTF-8. */
  add(chunk: string | Uint8Array): number {
    if (typeof chunk !== 'string') return this.#addBytes(chunk);
    // A UTF-16 unit takes at most three bytes.
    if (3 * chunk.length > blockSize - this.#used) {
      if (3 * chunk.length > blockSize) return this.#addBytes(Buffer.from(chunk, 'utf8'));
      this.flush();
    }
    const length = this.#block.write(chunk, this.#used, 'utf8');
    this.#used += length;
    return length;
  }

  flush(): void {
    if (this.#used === 0) return;
    const used = this.#used;
    this.#used = 0;
    this.#flush(this.#block.subarray(0, used));
  }

  #addBytes(bytes: Uint8Array): number {
    if (bytes.length > blockSize - this.#used) {
      this.flush();
      if (bytes.length >= blockSize) {
        this.#flush(bytes);
        return bytes.length;
      }
    }
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
    return bytes.length;
  }
}
