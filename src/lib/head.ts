/** Reads the first bytes of a stream of blocks without losing them for later readers. */

/** Enough to recognise a file: whole lines, the first keys of a document, some users. */
export const headBytes = 64 * 1024;

/**
 * Returns the head and all blocks from the start. The head has at least `minimum` bytes, unless the input is shorter. Read the
 * blocks or call `return()`: the input stays open until then.
 */
export async function withHead(blocks: AsyncIterable<Uint8Array>, minimum = headBytes) {
  const iterator = blocks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  while (length < minimum && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (next.done !== true && next.value.length > 0) {
      parts.push(new Uint8Array(next.value));
      length += next.value.length;
    }
  }
  const head = Buffer.concat(parts);
  async function* replay(): AsyncGenerator<Uint8Array> {
    try {
      yield started;
      if (head.length > 0) yield head;
      while (!ended) {
        const next = await iterator.next();
        ended = next.done === true;
        if (next.done !== true) yield next.value;
      }
    } finally {
      if (!ended) await iterator.return?.();
    }
  }
  const replayed = replay();
  // Runs to the first `yield`, so that its `finally` applies from now on.
  await replayed.next();
  return { head, blocks: replayed };
}

const started = new Uint8Array(0);

/** Returns only the first bytes of an input, and closes it. */
export async function headOf(input: { blocks(): AsyncIterable<Uint8Array> }): Promise<Uint8Array> {
  const { head, blocks } = await withHead(input.blocks());
  await blocks.return(undefined);
  return head;
}
