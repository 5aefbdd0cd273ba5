/** Items in, work on several of them at a time: as many as `width` says at the moment, in the order of the items. */

/**
 * Pulls an item only when there is room for it. When a piece of work throws, no more items are pulled, those under
 * way are waited for, and the first error is thrown. `stop` ends the pulling without an error.
 */
export function sideBySide<Item>(
  items: AsyncIterable<Item>,
  width: { readonly now: number },
  work: (item: Item) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  const begin: Work<Item> = (item, { ended, failed }) => void work(item).then(ended, failed);
  return batchesSideBySide(oneByOne(items), width, begin, stop);
}

async function* oneByOne<Item>(items: AsyncIterable<Item>): AsyncGenerator<Iterable<Item>> {
  for await (const item of items) yield [item];
}

/** The end of a piece of work: one of the two is called, once, also before the work has come back. */
export interface WorkEnd {
  readonly ended: () => void;
  readonly failed: (error: unknown) => void;
}

export type Work<Item> = (item: Item, end: WorkEnd) => void;

/** The same without a promise an item, where they come in batches: the end of one item begins the next one. */
export async function batchesSideBySide<Item>(
  batches: AsyncIterable<Iterable<Item>>,
  width: { readonly now: number },
  work: Work<Item>,
  stop: () => boolean,
): Promise<void> {
  let underWay = 0;
  let failure: { readonly error: unknown } | undefined;
  /** What is left of the batch. */
  let batch: Iterator<Item> | undefined;
  let isPulling = false;
  let wake: () => void = () => {};

  const end: WorkEnd = {
    ended() {
      underWay -= 1;
      pull();
    },
    failed(error) {
      failure ??= { error };
      end.ended();
    },
  };
  const begin = (item: Item): void => {
    underWay += 1;
    try {
      work(item, end);
    } catch (error) {
      end.failed(error);
    }
  };
  const take = (): void => {
    while (batch !== undefined && underWay < width.now) {
      const next = failure !== undefined || stop() ? undefined : batch.next();
      if (next === undefined || next.done === true) batch = undefined;
      else begin(next.value);
    }
  };
  function pull(): void {
    // What ends at once leaves the next item to the loop that began it.
    if (isPulling) return;
    isPulling = true;
    try {
      take();
    } catch (error) {
      failure ??= { error };
      batch = undefined;
    }
    isPulling = false;
    if (batch === undefined) wake();
  }
  const pullAll = (items: Iterable<Item>): Promise<void> =>
    new Promise((resolve) => {
      batch = items[Symbol.iterator]();
      wake = resolve;
      pull();
    });
  try {
    for await (const items of batches) {
      if (failure !== undefined || stop()) break;
      await pullAll(items);
    }
  } catch (error) {
    failure ??= { error };
  }
  await new Promise<void>((resolve) => {
    wake = () => {
      if (underWay === 0) resolve();
    };
    wake();
  });
  if (failure !== undefined) throw failure.error;
}
