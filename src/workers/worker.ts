/** Starts a worker thread and exchanges requests and responses with it. */
import { Worker } from 'node:worker_threads';
import { isExecutable, readOwnFile } from '../lib/own-files.ts';
import { type Done, moduleUrl, type PlainError, reviveError } from './job.ts';

/** The first request of a thread begins a job. */
export type WorkerRequest =
  | { readonly kind: 'begin'; readonly module: string; readonly settings: unknown }
  | { readonly kind: 'task'; readonly task: unknown; readonly spare: readonly ArrayBuffer[] };

/** There is one response for each request, in the same order. It includes the task, because of its memory. */
export type WorkerResponse =
  | { readonly ok: true; readonly done?: Done<unknown, unknown> }
  | { readonly ok: false; readonly error: PlainError };

export type PoolWorker = ReturnType<typeof startWorker>;

/** Jobs are compared by identity: two objects with the same fields are two jobs. */
interface WorkerJob {
  readonly module: string;
  readonly settings: unknown;
}

interface PendingResponse {
  resolve(done: Done<unknown, unknown> | undefined): void;
  reject(error: unknown): void;
}

/** The garbage of a task is small and short-lived. Without a limit, each thread would keep 20 MB more. */
const maxYoungGenerationSizeMb = 4;

/** Far more than the largest record needs. V8 lets a heap with a larger limit grow fourfold before it collects. */
const maxOldGenerationSizeMb = 1024;

/** `options` are passed to the thread. */
export function startWorker(options: { readonly execArgv?: string[] } = {}) {
  const place = moduleUrl(import.meta.url, 'worker-main');
  // A thread cannot load a module from inside the executable, so it gets the text.
  const worker = new Worker(isExecutable ? readOwnFile(place) : place, {
    eval: isExecutable,
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
    ...options,
  });
  /** Pending responses, in the order of the requests. */
  const waiting: PendingResponse[] = [];
  let current: WorkerJob | undefined;
  /** How many of `waiting` are starts of jobs. */
  let beginning = 0;
  /** Why the thread has ended. From then on it responds to no request, neither pending nor new. */
  let gone: unknown;
  const die = (error: unknown) => {
    gone ??= error;
    for (const pending of waiting.splice(0)) pending.reject(gone);
  };
  worker.on('message', (response: WorkerResponse) => {
    const pending = waiting.shift();
    if (response.ok) pending?.resolve(response.done);
    else pending?.reject(reviveError(response.error));
  });
  worker.on('error', die);
  worker.on('exit', () => die(new Error('a worker thread ended before its work was done')));
  const send = (request: WorkerRequest, moved: ArrayBuffer[]) => worker.postMessage(request, moved);
  return {
    /** Whether its job has started. Also true if the start failed, which the first task then reports. */
    get isReady() {
      return beginning === 0 || gone !== undefined;
    },
    /** Whether the thread has ended, so that every further task fails. */
    get hasEnded() {
      return gone !== undefined;
    },
    /** Number of tasks without a response yet, of any job. */
    get underWay() {
      return waiting.length - beginning;
    },
    /** Runs this job once the tasks of the previous one are done. Does nothing if the job is already running. */
    begin(job: WorkerJob) {
      if (job === current || gone !== undefined) return;
      current = job;
      beginning++;
      waiting.push({ resolve: () => beginning--, reject: die });
      send({ kind: 'begin', ...job }, []);
    },
    /** Moves memory to the thread: `moved` belongs to the task, `spare` is for its result. */
    work: (task: unknown, moved: readonly ArrayBuffer[], spare: readonly ArrayBuffer[] = []) =>
      new Promise<Done<unknown, unknown>>((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        waiting.push({ resolve: (done) => resolve(done!), reject });
        send({ kind: 'task', task, spare }, [...moved, ...spare]);
      }),
    stop: (): Promise<unknown> => worker.terminate(),
  };
}
