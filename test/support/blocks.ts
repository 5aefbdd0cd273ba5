/** Bytes in, blocks as storage hands them out: of one size, or of sizes given, in one buffer that is used again. */
export async function* blocksOf(
  bytes: Uint8Array | string,
  sizes: number | readonly number[] = 256 * 1024,
): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const list = typeof sizes === 'number' ? [sizes] : sizes;
  const block = Buffer.alloc(Math.max(1, ...list));
  let turn = 0;
  for (let at = 0; at < all.length;) {
    const length = Math.min(list[turn++ % list.length]!, all.length - at);
    block.set(all.subarray(at, at + length));
    yield block.subarray(0, length);
    // A reader that kept the block instead of copying it now holds this.
    block.fill(0x58);
    at += length;
  }
}
