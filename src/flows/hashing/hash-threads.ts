/**
 * Checks and makes password hashes on other threads. A hash takes about fifty milliseconds, in which this thread has to send, to
 * answer and to handle signals.
 */
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
  /** Functions that begin a waiting task on the thread that they are given. */
  const waiting: ((worker: PoolWorker) => void)[] = [];
  const job = { module: moduleUrl(import.meta.url, 'hash-job').href, settings };
  let running = 0;

  const add = () => {
    const worker = start();
    workers.add(worker);
    worker.begin(job);
    return worker;
  };
  const beginNext = () => {
    while (running < threads && waiting.length > 0) {
      running++;
      waiting.shift()!(idle.pop() ?? add());
    }
  };
  const finish = (worker: PoolWorker) => {
    running--;
    if (worker.hasEnded) workers.delete(worker);
    else if (workers.has(worker)) idle.push(worker);
    beginNext();
  };
  const turn = (signal: AbortSignal | undefined): Promise<PoolWorker> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal?.reason as Error);
      };
      const begin = (worker: PoolWorker) => {
        signal?.removeEventListener('abort', leave);
        resolve(worker);
      };
      signal?.throwIfAborted();
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
      beginNext();
    });
  return {
    async run<Task extends HashTask>(task: Task, signal?: AbortSignal, begins?: () => void) {
      const worker = await turn(signal);
      begins?.();
      try {
        const done = await new Promise<{ readonly result: unknown }>((resolve, reject) => {
          // Native code runs to its end. Until then, another thread works in place of this one.
          const end = () => {
            workers.delete(worker);
            void worker.stop();
            reject(signal?.reason as Error);
          };
          signal?.addEventListener('abort', end, { once: true });
          worker
            .work(task, [])
            .then(resolve, reject)
            .finally(() => signal?.removeEventListener('abort', end));
        });
        return done.result as ResultOf<Task>;
      } finally {
        finish(worker);
      }
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}

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
