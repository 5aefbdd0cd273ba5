/**
 * People whose user name somebody else had in; each tried again as others give theirs up, as long as that helps, out.
 */

/**
 * Who waits is held in memory as a whole, so no more than these: the others are refused, and the next pass tries them.
 */
export const mostWaiting = 5000;

/**
 * `attempt` adds to `line` whom it leaves waiting; without one, waiting has been in vain. One after the other, because
 * each may free the name of another one. Who came last is tried first: had the one who frees a name come before the one
 * who wants it, nobody would have waited. The next round goes the other way.
 */
export async function tryAgain<Item>(
  first: readonly Item[],
  attempt: (item: Item, line: Item[] | undefined) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  let helps = true;
  for (let waiting = first; waiting.length > 0;) {
    const line: Item[] = [];
    for (const item of waiting.toReversed()) {
      if (stop()) return;
      await attempt(item, helps ? line : undefined);
    }
    helps = line.length < waiting.length;
    waiting = line;
  }
}
