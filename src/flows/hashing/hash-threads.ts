/**
 * Checks and makes password hashes on other threads: a hash takes some fifty milliseconds, in which this thread has to
 * send, to answer and to hear signals.
 */
import { moduleUrl } from '../../workers/job.ts';
import { type PoolWorker, startWorker } from '../../workers/worker.ts';
import type { HashResult, HashSettings, HashTask } from './hash-job.ts';

export interface HashThreads {
  /** Tasks of the thread that has the fewest, the one that runs included. */
  readonly underWay: number;
  /** Throws where the form cannot be read at all, or the thread has ended; the next task starts a new one. */
  run<Task extends HashTask>(task: Task): Promise<ResultOf<Task>>;
  close(): Promise<void>;
}

type ResultOf<Task extends HashTask> = Task['do'] extends 'hash'
  ? Extract<HashResult, { hash: string }>
  : Exclude<HashResult, { hash: string }>;

/** A thread is started with the first task that it gets. */
export function createHashThreads(
  threads: number,
  settings: HashSettings,
  start: () => PoolWorker = startWorker,
): HashThreads {
  const workers: (PoolWorker | undefined)[] = Array.from({ length: threads });
  const job = { module: moduleUrl(import.meta.url, 'hash-job').href, settings };
  const loadOf = (at: number): number => workers[at]?.underWay ?? 0;
  const idlest = (): number => {
    let best = 0;
    for (let at = 1; at < threads; at++) if (loadOf(at) < loadOf(best)) best = at;
    return best;
  };
  return {
    get underWay() {
      return loadOf(idlest());
    },
    async run<Task extends HashTask>(task: Task): Promise<ResultOf<Task>> {
      const at = idlest();
      const worker = (workers[at] ??= start());
      worker.begin(job);
      try {
        const { result } = await worker.work(task, []);
        return result as ResultOf<Task>;
      } catch (error) {
        if (worker.hasEnded && workers[at] === worker) workers[at] = undefined;
        throw error;
      }
    },
    async close() {
      await Promise.all(workers.map(async (worker) => worker?.stop()));
    },
  };
}
