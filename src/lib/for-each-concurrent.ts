/** Runs asynchronous work on several items of a stream at a time. */
import pLimit from 'p-limit';

/**
 * Starts work in the order of the items, and reads the next item only after work on the previous one has started. After an error,
 * or once the signal is aborted, no more work is started. Work that has started is awaited, then the first error is thrown.
 */
export async function forEachConcurrent<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
  signal?: AbortSignal,
) {
  const limit = pLimit(concurrency);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const isOver = () => failure !== undefined || signal?.aborted === true;
  const run = async (item: Item, started: () => void) => {
    started();
    try {
      if (!isOver()) await work(item);
    } catch (error) {
      failure ??= { error };
    }
  };
  try {
    for await (const item of items) {
      if (isOver()) break;
      await new Promise<void>((started) => {
        const done = limit(run, item, started).finally(() => running.delete(done));
        running.add(done);
      });
    }
  } catch (error) {
    failure ??= { error };
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
}
