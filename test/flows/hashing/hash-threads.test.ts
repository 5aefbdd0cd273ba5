import { bcryptVerify } from 'hash-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createHashThreads,
  createPasswordHasher,
  type PasswordHasher,
} from '../../../src/flows/hashing/hash-threads.ts';
import { type PoolWorker, startWorker } from '../../../src/workers/worker.ts';
import { startInlineWorker } from '../../support/inline-worker.ts';
import { workerLoader } from '../../support/worker-loader.ts';

const passwords = Array.from({ length: 8 }, (_, number) => `passw\u00f6rd ${number}`);

describe('createPasswordHasher', () => {
  let hasher: PasswordHasher;
  let workers: PoolWorker[];
  afterEach(() => hasher.close());

  /** With two threads. */
  function createHasher(begun: (worker: PoolWorker) => void = () => {}) {
    workers = [];
    hasher = createPasswordHasher(2, () => {
      const worker = startWorker({ execArgv: [workerLoader] });
      begun(worker);
      workers.push(worker);
      return worker;
    });
  }

  it('hashes passwords on other threads without blocking this one', async () => {
    createHasher();
    expect(workers).toHaveLength(0);
    let turns = 0;
    const count = () => {
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

  it('hashes on this thread if the other threads end', async () => {
    createHasher((worker) => void worker.stop());
    const hash = await hasher.hash('secret');
    expect(await bcryptVerify({ password: 'secret', hash })).toBe(true);
  });
});

const form = { kind: 'digest', expected: 'AAAA', of: 'password' } as const;

/** As a thread that ran out of memory. */
function startEnded(): PoolWorker {
  const work = () => Promise.reject(new Error('it has ended'));
  return { ...startInlineWorker(), hasEnded: true, work };
}

it('createHashThreads fails the task of an ended thread and starts a new thread for the next', async () => {
  let started = 0;
  const threads = createHashThreads(1, {}, () => (started++ === 0 ? startEnded() : startInlineWorker()));
  const check = () => threads.verify(form, 'a');
  await expect(check()).rejects.toThrow('it has ended');
  expect(await check()).toBe(false);
  expect(started).toBe(2);
});
