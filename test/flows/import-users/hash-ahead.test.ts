import { bcryptVerify } from 'hash-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  beginAhead,
  createPasswordHasher,
  type PasswordHasher,
} from '../../../src/flows/import-users/hash-ahead.ts';
import { type PoolWorker, startWorker } from '../../../src/workers/worker.ts';
import { workerLoader } from '../../support/worker-loader.ts';

let hasher: PasswordHasher;
let workers: PoolWorker[];
afterEach(() => hasher.close());

/** With two threads. */
function createHasher(begun: (worker: PoolWorker) => void = () => {}): void {
  workers = [];
  hasher = createPasswordHasher(2, () => {
    const worker = startWorker({ execArgv: [workerLoader] });
    begun(worker);
    workers.push(worker);
    return worker;
  });
}

const passwords = Array.from({ length: 8 }, (_, number) => `passw\u00f6rd ${number}`);

describe('hashing ahead', () => {
  it('makes hashes of the right passwords on other threads, while this one does something else', async () => {
    createHasher();
    expect(workers).toHaveLength(0);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const hashes = await Promise.all(passwords.map((password) => hasher.hash(password)));
    clearImmediate(next);
    expect(workers).toHaveLength(2);
    // A hash takes this thread some fifty milliseconds, without a turn.
    expect(turns).toBeGreaterThan(1000);
    for (const [at, hash] of hashes.entries()) {
      expect(hash).toMatch(/^\$2b\$10\$/);
      expect(await bcryptVerify({ password: passwords[at]!, hash })).toBe(true);
    }
  });

  it('goes on without the threads where they end', async () => {
    createHasher((worker) => void worker.stop());
    const hash = await hasher.hash('secret');
    expect(await bcryptVerify({ password: 'secret', hash })).toBe(true);
  });
});

describe('what is begun ahead', () => {
  /** What was read at each turn, and what the turn brought. */
  async function turnsOf(ahead: number, begin: (item: number) => Promise<number> | undefined) {
    let read = 0;
    async function* numbers(): AsyncGenerator<number> {
      while (read < 20) yield read++;
    }
    const turns: { read: number; item: number; result: unknown }[] = [];
    for await (const { item, result } of beginAhead(numbers(), ahead, begin))
      turns.push({ read, item, result: await result?.catch((error: Error) => error.message) });
    expect(turns.map(({ item }) => item)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    return turns;
  }

  it('comes in order, and at most so many items ahead of their turn', async () => {
    for (const { read, item, result } of await turnsOf(4, (item) => Promise.resolve(item))) {
      expect(read).toBeLessThanOrEqual(item + 5);
      expect(result).toBe(item);
    }
  });

  it('is not read ahead where there is nothing to wait for', async () => {
    for (const { read, item } of await turnsOf(4, () => undefined)) expect(read).toBe(item + 1);
  });

  it('that fails does not end the process before its turn', async () => {
    for (const { result } of await turnsOf(2, () => Promise.reject(new Error('no'))))
      expect(result).toBe('no');
  });
});
