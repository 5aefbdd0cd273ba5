/**
 * Checks and makes password hashes on other threads. A hash takes about fifty milliseconds, in which this thread has to send, to
 * answer and to handle signals.
 */
import pLimit from 'p-limit';
import { moduleUrl } from '../../workers/job.ts';
import { type PoolWorker, startWorker } from '../../workers/worker.ts';
import type { HashResult, HashSettings, HashTask } from './hash-job.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';

export type HashThreads = ReturnType<typeof createHashThreads>;

type ResultOf<Task extends HashTask> = Task['do'] extends 'hash'
  ? Extract<HashResult, { hash: string }>
  : Exclude<HashResult, { hash: string }>;

/**
 * A thread is started with the first task that it gets. `run` throws if the form cannot be read at all, or if the thread has
 * ended. The next task then starts a new one. Only a signal ends a thread in the middle of its work. `begins` is called when the
 * task's turn has come.
 */
export function createHashThreads(
  threads: number,
  settings: HashSettings,
  start: () => PoolWorker = startWorker,
) {
  const workers = new Set<PoolWorker>();
  const idle: PoolWorker[] = [];
  const job = { module: moduleUrl(import.meta.url, 'hash-job').href, settings };
  const limit = pLimit(threads);

  const add = () => {
    const worker = start();
    workers.add(worker);
    worker.begin(job);
    return worker;
  };
  return {
    async run<Task extends HashTask>(task: Task, signal?: AbortSignal, begins?: () => void) {
      const begin = async () => {
        signal?.throwIfAborted();
        begins?.();
        const worker = idle.pop() ?? add();
        try {
          return (await untilAborted(worker.work(task, []), signal)).result as ResultOf<Task>;
        } finally {
          if (signal?.aborted !== true && !worker.hasEnded) idle.push(worker);
          else {
            workers.delete(worker);
            // Native code runs to its end. Until then, another thread works in place of this one.
            void worker.stop();
          }
        }
      };
      return untilAborted(limit(begin), signal);
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}

/** Rejects at once when the signal is aborted, even if the work goes on. */
const untilAborted = <Value>(work: Promise<Value>, signal: AbortSignal | undefined) =>
  new Promise<Value>((resolve, reject) => {
    const leave = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
  });

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** The threads are started with the first passwords. */
export function createPasswordHasher(threads: number, start?: () => PoolWorker) {
  const hashing = createHashThreads(threads, { secrets: {} }, start);
  return {
    hash: (password: string) =>
      hashing.run({ do: 'hash', password }).then(
        ({ hash }) => hash,
        // The thread has ended, or cannot run here.
        () => hashPassword(password),
      ),
    close: () => hashing.close(),
  };
}
