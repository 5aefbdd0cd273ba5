/** Blocks in; the first bytes of them, and the same blocks again. */

export interface Headed {
  /** At least as many bytes as wanted, unless the input is shorter. */
  readonly head: Uint8Array;
  /** All blocks from the start. Read it, or end it with `return()`: the input stays open until then. */
  readonly blocks: AsyncGenerator<Uint8Array>;
}

export async function withHead(blocks: AsyncIterable<Uint8Array>, wanted: number): Promise<Headed> {
  const iterator = blocks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let gathered = 0;
  let ended = false;
  while (gathered < wanted && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (next.done !== true && next.value.length > 0) {
      parts.push(new Uint8Array(next.value));
      gathered += next.value.length;
    }
  }
  const head = Buffer.concat(parts);
  const replayed = replay(head, iterator, ended);
  // RunLengths to its first `yield`, so that its `finally` holds from now on.
  await replayed.next();
  return { head, blocks: replayed };
}

const started = new Uint8Array(0);

async function* replay(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
  ended: boolean,
): AsyncGenerator<Uint8Array> {
  let done = ended;
  try {
    yield started;
    if (head.length > 0) yield head;
    while (!done) {
      const next = await iterator.next();
      done = next.done === true;
      if (next.done !== true) yield next.value;
    }
  } finally {
    if (!done) await iterator.return?.();
  }
}
