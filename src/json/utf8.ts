/** Checks block by block that a text is UTF-8. A character may be split over two blocks. */
import { isUtf8 } from 'node:buffer';

export class Utf8Guard {
  /** The first bytes of a character that continues in the next block. */
  #begun = new Uint8Array(0);

  /**
   * The number of well-formed bytes at the start of this block; an incomplete character at its end counts as
   * well-formed. Negative when a character that began in an earlier block is broken: it begins so many bytes before
   * this block.
   */
  check(block: Uint8Array): number {
    const missing = this.#begun.length === 0 ? 0 : sequenceLength(this.#begun[0]!) - this.#begun.length;
    if (missing > 0) {
      const joined = concat(this.#begun, block.subarray(0, missing));
      if (block.length < missing) {
        this.#begun = joined;
        return mayBegin(joined) ? block.length : block.length - joined.length;
      }
      if (!isUtf8(joined)) return missing - joined.length;
    }
    const tail = tailStart(block, missing);
    this.#begun = new Uint8Array(block.subarray(tail));
    const body = block.subarray(missing, tail);
    if (!isUtf8(body)) return missing + validLength(body);
    return mayBegin(this.#begun) ? block.length : tail;
  }
}

/** The number of bytes from the start that are well-formed UTF-8. */
export function validLength(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at]!);
    if (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

/** The index of an incomplete character at the end, or the length of the block. */
function tailStart(block: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && block.length - back >= from; back++) {
    const at = block.length - back;
    if ((block[at]! & 0xc0) === 0x80) continue;
    return sequenceLength(block[at]!) > back ? at : block.length;
  }
  return block.length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}

/** Whether these bytes can begin a character: not when the second byte makes it overlong or a surrogate. */
function mayBegin(bytes: Uint8Array): boolean {
  if (bytes.length < 2) return true;
  const completed = new Uint8Array(sequenceLength(bytes[0]!)).fill(0x80);
  completed.set(bytes);
  return isUtf8(completed);
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
