/** Hashes plain passwords on other threads, ahead of the requests: a hash takes longer than the rate leaves between two users. */
import type { PoolWorker } from '../../workers/worker.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';
import { createHashThreads } from '../hashing/hash-threads.ts';

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** One in work at each thread, and some that wait. */
const perThread = 4;

/** The threads are started with the first passwords. */
export function createPasswordHasher(threads: number, start?: () => PoolWorker) {
  const hashing = createHashThreads(threads, { secrets: {} }, start);
  return {
    /** Passwords that may be under way so that no thread waits for the next one. */
    ahead: threads * perThread,
    hash: (password: string): Promise<string> =>
      hashing.run({ do: 'hash', password }).then(
        ({ hash }) => hash,
        // A thread that cannot run here, or has ended.
        () => hashPassword(password),
      ),
    close: () => hashing.close(),
  };
}

/** What is begun with an item before its turn has come. */
export interface Begun<Item, Result> {
  readonly item: Item;
  readonly result: Promise<Result> | undefined;
}

/**
 * Yields the items in their order. `begin` is called for each in that order, up to `ahead` items before its turn, as long
 * as there is one with a result to wait for; undefined is an item without.
 */
export async function* beginAhead<Item, Result>(
  items: AsyncIterable<Item>,
  ahead: number,
  begin: (item: Item) => Promise<Result> | undefined,
): AsyncGenerator<Begun<Item, Result>> {
  const waiting: Begun<Item, Result>[] = [];
  for await (const item of items) {
    const result = begin(item);
    // Awaited when its turn comes; until then a failure must not count as unhandled.
    result?.catch(() => undefined);
    waiting.push({ item, result });
    while (waiting.length > ahead || (waiting.length > 0 && waiting[0]!.result === undefined)) {
      yield waiting.shift()!;
    }
  }
  yield* waiting;
}
