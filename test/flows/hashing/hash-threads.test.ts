import { expect, it } from 'vitest';
import { createHashThreads } from '../../../src/flows/hashing/hash-threads.ts';
import type { PoolWorker } from '../../../src/workers/worker.ts';
import { startInlineWorker } from '../../support/inline-worker.ts';

const form = { kind: 'digest', expected: 'AAAA', of: 'password' } as const;

/** As a thread that ran out of memory. */
function startEnded(): PoolWorker {
  const work = () => Promise.reject(new Error('it has ended'));
  return { ...startInlineWorker(), hasEnded: true, work };
}

it('a thread that has ended fails its task, and the next task has a new thread', async () => {
  let started = 0;
  const threads = createHashThreads(1, { secrets: {} }, () =>
    started++ === 0 ? startEnded() : startInlineWorker(),
  );
  const check = () => threads.run({ do: 'verify', form, password: 'a' });
  await expect(check()).rejects.toThrow('it has ended');
  expect(await check()).toEqual({ matches: false });
  expect(started).toBe(2);
});
