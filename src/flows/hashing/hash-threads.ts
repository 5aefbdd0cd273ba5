/**
 * Checks and makes password hashes on other threads. A hash takes about fifty milliseconds, in which this thread has to send, to
 * answer and to handle signals.
 */
import pLimit from 'p-limit';
import { moduleUrl } from '../../workers/job.ts';
import { type PoolWorker, startWorker } from '../../workers/worker.ts';
import type { SourceForm } from '../../records/hash-forms/form.ts';
import type { Secrets } from '../../records/hash-forms/verify-form.ts';
import type { McfProblem } from '../../records/mcf/algorithm.ts';
import type { HashTask } from './hash-job.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';

export type HashThreads = ReturnType<typeof createHashThreads>;

/** A thread is started with the first task that it gets. */
export function createHashThreads(
  threads: number,
  secrets: Secrets = {},
  start: () => PoolWorker = startWorker,
) {
  const workers = new Set<PoolWorker>();
  const idle: PoolWorker[] = [];
  const job = { module: moduleUrl(import.meta.url, 'hash-job').href, settings: secrets };
  const limit = pLimit(threads);

  const add = () => {
    const worker = start();
    workers.add(worker);
    worker.begin(job);
    return worker;
  };
  const run = (task: HashTask, signal?: AbortSignal, begins?: () => void) => {
    const begin = async () => {
      signal?.throwIfAborted();
      begins?.();
      const worker = idle.pop() ?? add();
      try {
        return (await untilAborted(worker.work(task, []), signal)).result;
      } finally {
        if (!signal?.aborted && !worker.hasEnded) idle.push(worker);
        else {
          workers.delete(worker);
          // Native code runs to its end. Until then, another thread works in place of this one.
          void worker.stop();
        }
      }
    };
    return untilAborted(limit(begin), signal);
  };
  return {
    hash: (password: string) => run({ password }) as Promise<string>,
    /**
     * Throws if the form cannot be read at all, or if the thread has ended. The next task then starts a new one. Only a signal
     * ends a thread in the middle of its work. `begins` is called when the task's turn has come.
     */
    verify: (form: SourceForm, password: string, signal?: AbortSignal, begins?: () => void) =>
      run({ password, form }, signal, begins) as Promise<boolean | McfProblem>,
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
  const hashing = createHashThreads(threads, {}, start);
  return {
    // The thread may have ended, or cannot run here.
    hash: (password: string) => hashing.hash(password).catch(() => hashPassword(password)),
    close: () => hashing.close(),
  };
}
