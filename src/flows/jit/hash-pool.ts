/** Threads for hashing, so that the event loop always answers. Tasks beyond the bound are refused at once. */
import { moduleUrl } from '../../workers/job.ts';
import { startWorker, type PoolWorker } from '../../workers/worker.ts';
import type { HashResult, HashSettings, HashTask } from './jit-hash-job.ts';
import { VerifierError } from './verifier.ts';

export interface HashPool {
  /** Throws `VerifierError` where too many tasks wait. */
  run(task: HashTask): Promise<HashResult>;
  close(): Promise<void>;
}

/** Tasks of one thread, the one that runs included: with bcrypt about half a second. */
const mostAtOne = 8;

/** Resolves when the threads run: the first login must not wait for them. */
export async function createHashPool(threads: number, settings: HashSettings): Promise<HashPool> {
  const workers: PoolWorker[] = Array.from({ length: threads }, () => startWorker());
  const job = { module: moduleUrl(import.meta.url, 'jit-hash-job').href, settings };
  for (const worker of workers) worker.begin(job);
  const warmUp: HashTask = { do: 'hash', password: 'warm-up' };
  await Promise.all(workers.map((worker) => worker.work(warmUp, [])));
  return {
    async run(task) {
      const free = workers.reduce((least, worker) => (worker.underWay < least.underWay ? worker : least));
      if (free.underWay >= mostAtOne) throw new VerifierError('too many passwords are being checked');
      const { result } = await free.work(task, []);
      return result as HashResult;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
