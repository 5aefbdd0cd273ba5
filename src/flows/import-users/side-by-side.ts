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
  return batchesSideBySide(oneByOne(items), width, work, stop);
}

async function* oneByOne<Item>(items: AsyncIterable<Item>): AsyncGenerator<Iterable<Item>> {
  for await (const item of items) yield [item];
}

/** The same without a promise for pulling an item, where they come in batches. */
export async function batchesSideBySide<Item>(
  batches: AsyncIterable<Iterable<Item>>,
  width: { readonly now: number },
  work: (item: Item) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  let underWay = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  const ended = (): void => {
    underWay -= 1;
    wake();
  };
  const failed = (error: unknown): void => {
    failure ??= { error };
    ended();
  };
  const room = (free: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        if (free()) resolve();
      };
      wake();
    });
  const hasRoom = (): boolean => underWay < width.now || failure !== undefined;
  const begin = (item: Item): void => {
    underWay += 1;
    try {
      work(item).then(ended, failed);
    } catch (error) {
      failed(error);
    }
  };
  const take = async (batch: Iterable<Item>): Promise<void> => {
    for (const item of batch) {
      if (failure !== undefined || stop()) return;
      begin(item);
      if (!hasRoom()) await room(hasRoom);
    }
  };
  try {
    for await (const batch of batches) {
      if (failure !== undefined || stop()) break;
      await take(batch);
    }
  } catch (error) {
    failure ??= { error };
  }
  await room(() => underWay === 0);
  if (failure !== undefined) throw failure.error;
}
