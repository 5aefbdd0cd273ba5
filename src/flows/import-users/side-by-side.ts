/** Items in, work on several of them at a time: as many as `width` says at the moment, in the order of the items. */

/**
 * Pulls an item only when there is room for it. When a piece of work throws, no more items are pulled, those under
 * way are waited for, and the first error is thrown. `stop` ends the pulling without an error.
 */
export async function sideBySide<Item>(
  items: AsyncIterable<Item>,
  width: { readonly now: number },
  work: (item: Item) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  let underWay = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  const begin = async (item: Item): Promise<void> => {
    underWay += 1;
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
    underWay -= 1;
    wake();
  };
  const room = (free: () => boolean): Promise<void> | undefined =>
    free()
      ? undefined
      : new Promise((resolve) => {
          wake = () => {
            if (free()) resolve();
          };
        });
  try {
    for await (const item of items) {
      if (failure !== undefined || stop()) break;
      void begin(item);
      await room(() => underWay < width.now || failure !== undefined);
    }
  } catch (error) {
    failure ??= { error };
  }
  await room(() => underWay === 0);
  if (failure !== undefined) throw failure.error;
}
