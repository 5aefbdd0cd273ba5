/**
 * Runs tasks on several threads and yields their results in the order of the tasks. This thread does work only until one of them
 * is ready. The threads live as long as the pool and run one job after another.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchMemory } from '../lib/batch-memory.ts';
import type { Done, JobPlan } from './job.ts';
import { type PoolWorker, startWorker } from './worker.ts';

export type WorkerPool = ReturnType<typeof createWorkerPool>;

/** Tasks per thread: one in work, the others so that the thread never waits. */
const queued = 3;
/** Results that may wait for previous ones. More would only cost memory. */
const finishedAhead = 2;

/**
 * With one thread, no other thread is started. With several, this thread only reads, orders and writes: the heap of the main
 * thread has no limits, and would grow by tens of megabytes if it also worked on tasks.
 */
export function createWorkerPool(threads: number, start: () => PoolWorker = startWorker) {
  // Started here, because it takes a while until they are ready.
  const workers = Array.from({ length: threads > 1 ? threads : 0 }, start);
  return {
    /** If `tasks` throws, the results of the tasks before the error are yielded first. */
    async *run<Task, Result>(tasks: AsyncIterable<Task>, { module, settings, job }: JobPlan<Task, Result>) {
      /**
       * Memory of each result that is no longer used, for the next results. Otherwise each would allocate new memory, which would
       * be collected here.
       */
      const spare: (readonly ArrayBuffer[])[] = [];
      let last: Promise<unknown> = Promise.resolve();
      // Tasks run one after another, as on other threads, because a job may number what it finds.
      const runHere = (task: Task): Promise<Done<Task, Result>> => {
        const done = last.then(async () => {
          for (const buffer of spare.splice(0).flat()) batchMemory.release(buffer);
          return { task, result: await job.work(task) };
        });
        last = done;
        return done;
      };
      const workerJob = { module: module.href, settings };
      const runOnWorker = (task: Task) => {
        // Called for each task, because another run of this pool may have set its own job in between.
        for (const worker of workers) worker.begin(workerJob);
        const [idlest] = workers
          .filter(({ isReady }) => isReady)
          .sort((one, other) => one.underWay - other.underWay);
        // A task gets the memory of one result: with all of it, one thread would keep too much, and another make its own.
        return idlest?.work(task, job.buffersOfTask(task), spare.pop() ?? []) as
          | Promise<Done<Task, Result>>
          | undefined;
      };
      const most = threads * queued + finishedAhead;
      for await (const done of inOrder(tasks, most, (task) => runOnWorker(task) ?? runHere(task))) {
        yield done;
        for (const buffer of job.buffersOfTask(done.task)) batchMemory.release(buffer);
        spare.push(job.buffersOfResult(done.result));
      }
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

async function* inOrder<Task, Result>(
  tasks: AsyncIterable<Task>,
  most: number,
  begin: (task: Task) => Promise<Done<Task, Result>>,
) {
  const pending: Pending<Done<Task, Result>>[] = [];
  let failure: { error: unknown } | undefined;
  for await (const task of upToFailure(tasks, (error) => (failure = { error }))) {
    pending.push(watch(begin(task)));
    // Messages of other threads, signals and timers are handled between turns of the event loop.
    await nextTurn();
    // Yielded as early as possible: the result is still in the processor's cache, and its memory serves the next task.
    while (pending[0]?.isSettled || pending.length >= most) yield await pending.shift()!.done;
  }
  for (const { done } of pending) yield await done;
  if (failure) throw failure.error;
}

interface Pending<Item> {
  readonly done: Promise<Item>;
  isSettled: boolean;
}

/** Marks the promise as handled. It is awaited later, in order; until then a failure must not count as unhandled. */
function watch<Item>(done: Promise<Item>): Pending<Item> {
  const pending = { done, isSettled: false };
  const settle = () => {
    pending.isSettled = true;
  };
  done.then(settle, settle);
  return pending;
}

/** Ends at an error of the items and reports it, so that the items before it are finished and counted first. */
async function* upToFailure<Item>(
  items: AsyncIterable<Item>,
  onError: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    onError(error);
  }
}
