import { threadId } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { batchMemory } from '../../src/lib/batch-memory.ts';
import type { Job, JobPlan } from '../../src/workers/job.ts';
import { type WorkerPool, createWorkerPool } from '../../src/workers/pool.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { startJob, type TaskDone } from '../support/thread-job.ts';
import { workerLoader } from '../support/worker-loader.ts';

const nothing = (): ArrayBuffer[] => [];
const doubling: Job<number, number> = {
  work: (task) => 2 * task,
  buffersOfTask: nothing,
  buffersOfResult: nothing,
};

function plan(job: Job<number, number> = doubling): JobPlan<number, number> {
  return { module: new URL('no-such-module.js', import.meta.url), settings: undefined, job };
}

async function collect<Item>(items: AsyncIterable<Item>) {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* numbers(last: number, failure?: Error) {
  for (let number = 1; number <= last; number++) {
    yield number;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (failure !== undefined) throw failure;
}

describe('a worker pool of one thread', () => {
  it('runs everything on this thread, in order', async () => {
    const pool = createWorkerPool(1);
    const done = await collect(pool.run(numbers(3), plan()));
    expect(done).toEqual([
      { task: 1, result: 2 },
      { task: 2, result: 4 },
      { task: 3, result: 6 },
    ]);
    await pool.close();
  });

  it('runs one task after the other, also if one waits', async () => {
    let underWay = 0;
    const work = async () => {
      const before = underWay++;
      await collect(numbers(3));
      underWay--;
      return before;
    };
    const done = await collect(createWorkerPool(1).run(numbers(3), plan({ ...doubling, work })));
    expect(done.map(({ result }) => result)).toEqual([0, 0, 0]);
  });

  it('reuses the memory of a result', async () => {
    const job: Job<number, ArrayBuffer> = {
      work: () => batchMemory.allocate(55_555),
      buffersOfTask: nothing,
      buffersOfResult: (result) => [result],
    };
    const seen = new Set<ArrayBuffer>();
    const pool = createWorkerPool(1);
    for await (const { result } of pool.run(numbers(20), { ...plan(), job })) seen.add(result);
    expect(seen.size).toBeLessThan(5);
    await pool.close();
  });

  it('reuses the memory of a task', async () => {
    const seen: { readonly buffer: ArrayBuffer; readonly text: string }[] = [];
    async function* tasks() {
      for (const word of ['first', 'second', 'third']) {
        const bytes = Buffer.from(batchMemory.allocate(77_777));
        bytes.fill(0).write(word);
        yield bytes;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const job: Job<Buffer<ArrayBuffer>, number> = {
      work: (task) => task.indexOf(0),
      buffersOfTask: (task) => [task.buffer],
      buffersOfResult: nothing,
    };
    const pool = createWorkerPool(1);
    for await (const { task, result } of pool.run(tasks(), { ...plan(), job })) {
      seen.push({ buffer: task.buffer, text: task.toString('latin1', 0, result) });
    }
    expect(seen.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
    expect(new Set(seen.map(({ buffer }) => buffer)).size).toBe(1);
  });

  it('finishes the tasks before a failure', async () => {
    const results: number[] = [];
    const run = async () => {
      const done = createWorkerPool(1).run(numbers(2, new Error('no more')), plan());
      for await (const { result } of done) results.push(result);
    };
    await expect(run()).rejects.toThrow('no more');
    expect(results).toEqual([2, 4]);
  });
});

describe('a worker pool of several threads', () => {
  const start = () => startWorker({ execArgv: [workerLoader] });
  const module = new URL('../support/thread-job.ts', import.meta.url);
  /** Tasks until the consumer has seen enough. */
  async function* endless(isEnough: () => boolean) {
    for (let number = 1; !isEnough(); number++) {
      yield number;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  /** All that is done until another thread has done so many tasks of this job. */
  async function runUntilHelped(pool: WorkerPool, wanted: number, settings: { readonly name?: string } = {}) {
    const results: TaskDone[] = [];
    const helped = () => results.filter(({ thread }) => thread !== threadId).length;
    const plan = { module, settings, job: startJob(settings) };
    for await (const { result } of pool.run(
      endless(() => helped() >= wanted),
      plan,
    ))
      results.push(result);
    return results;
  }

  it('works on this thread until the other is ready, and keeps the order', async () => {
    const pool = createWorkerPool(2, start);
    const results = await runUntilHelped(pool, 10);
    await pool.close();
    expect(results.map(({ task }) => task)).toEqual(results.map((_, place) => place + 1));
    expect(results[0]!.thread).toBe(threadId);
  });

  it('runs one job after the other with the same threads', async () => {
    const starts = vi.fn(start);
    const pool = createWorkerPool(2, starts);
    const [first, second] = [await runUntilHelped(pool, 3), await runUntilHelped(pool, 3)];
    await pool.close();
    expect(first.length + second.length).toBeGreaterThanOrEqual(6);
    expect(starts).toHaveBeenCalledTimes(2);
  });

  it('returns to a job whose tasks come from another job', async () => {
    const pool = createWorkerPool(2, start);
    const outer: TaskDone[] = [];
    let inner: TaskDone[] = [];
    const helped = () => outer.filter(({ thread }) => thread !== threadId).length;
    async function* tasks() {
      yield* endless(() => helped() >= 3);
      // Tasks that were sent to it before may still be without a result.
      inner = await runUntilHelped(pool, 3, { name: 'inner' });
      const before = helped();
      yield* endless(() => helped() >= before + 20);
    }
    const settings = { name: 'outer' };
    for await (const { task, result } of pool.run(tasks(), { module, settings, job: startJob(settings) })) {
      expect(result).toMatchObject({ task, job: 'outer' });
      outer.push(result);
    }
    await pool.close();
    expect(inner.map(({ task }) => task)).toEqual(inner.map((_, place) => place + 1));
    expect(inner.every(({ job }) => job === 'inner')).toBe(true);
  });

  it('ends with the error of a task that the other thread cannot run', async () => {
    const pool = createWorkerPool(2, start);
    const tasks = endless(() => false);
    const failing = pool.run(tasks, { module, settings: { fails: true }, job: startJob() });
    await expect(collect(failing)).rejects.toThrow('this task cannot be done');
    await pool.close();
  });

  it('ends with an error if another thread cannot start its job', async () => {
    const pool = createWorkerPool(2, start);
    const tasks = endless(() => false);
    await expect(collect(pool.run(tasks, plan()))).rejects.toThrow('no-such-module');
    await pool.close();
  });
});
