/** Hashes plain passwords on other threads: several users are under way, so that no thread waits for the next password. */
import type { PoolWorker } from '../../workers/worker.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';
import { createHashThreads } from '../hashing/hash-threads.ts';

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** The threads are started with the first passwords. */
export function createPasswordHasher(threads: number, start?: () => PoolWorker) {
  const hashing = createHashThreads(threads, { secrets: {} }, start);
  return {
    hash: (password: string): Promise<string> =>
      hashing.run({ do: 'hash', password }).then(
        ({ hash }) => hash,
        // A thread that cannot run here, or has ended.
        () => hashPassword(password),
      ),
    close: () => hashing.close(),
  };
}
