import { bcryptVerify } from 'hash-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  beginAhead,
  createPasswordHasher,
  type PasswordHasher,
} from '../../../src/flows/import-users/hash-ahead.ts';
import { type PoolWorker, startWorker } from '../../../src/workers/worker.ts';
import { workerLoader } from '../../support/worker-loader.ts';

let hasher: PasswordHasher | undefined;
afterEach(() => hasher?.close());

const passwords = Array.from({ length: 8 }, (_, number) => `passw\u00f6rd ${number}`);

describe('hashing ahead', () => {
  it('makes hashes of the right passwords on other threads, while this one does something else', async () => {
    const workers: PoolWorker[] = [];
    hasher = createPasswordHasher(2, () => {
      const worker = startWorker({ execArgv: [workerLoader] });
      workers.push(worker);
      return worker;
    });
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const hashes = await Promise.all(passwords.map((password) => hasher!.hash(password)));
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
    hasher = createPasswordHasher(2, () => {
      const worker = startWorker({ execArgv: [workerLoader] });
      void worker.stop();
      return worker;
    });
    const hash = await hasher.hash('secret');
    expect(await bcryptVerify({ password: 'secret', hash })).toBe(true);
  });

  it('starts no thread without a password', async () => {
    let started = 0;
    hasher = createPasswordHasher(2, () => {
      started += 1;
      return startWorker();
    });
    await hasher.close();
    expect(started).toBe(0);
  });
});

describe('what is begun ahead', () => {
  async function* numbers(most: number, read: number[]): AsyncGenerator<number> {
    for (let number = 0; number < most; number++) {
      read.push(number);
      yield number;
    }
  }

  it('comes in order, and at most so many items ahead of their turn', async () => {
    const read: number[] = [];
    const turns: number[] = [];
    for await (const { item, result } of beginAhead(numbers(20, read), 4, (item) => Promise.resolve(item))) {
      expect(read.length).toBeLessThanOrEqual(item + 5);
      expect(await result).toBe(item);
      turns.push(item);
    }
    expect(turns).toEqual(Array.from({ length: 20 }, (_, number) => number));
  });

  it('is not read ahead where there is nothing to wait for', async () => {
    const read: number[] = [];
    for await (const { item } of beginAhead(numbers(5, read), 4, () => undefined)) {
      expect(read).toHaveLength(item + 1);
    }
  });

  it('that fails does not end the process before its turn', async () => {
    const begun = beginAhead(numbers(3, []), 2, () => Promise.reject(new Error('no')));
    for await (const { result } of begun) await expect(result).rejects.toThrow('no');
  });
});
