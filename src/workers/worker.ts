/** A thread as those see it who give it work: what it is told, and what it answers, in order. */
import { Worker } from 'node:worker_threads';
import type { Done } from './pool.ts';
import { moduleUrl } from './module-url.ts';
import { type PlainError, reviveError } from './plain-error.ts';

/** What a thread is told: first of all what its duty is. */
export type Order =
  | { readonly kind: 'begin'; readonly module: string; readonly job: unknown }
  | { readonly kind: 'task'; readonly task: unknown };

/** What it answers, to each order in its turn: the task as well, because of its memory. An error is taken apart. */
export type Reply =
  | { readonly ok: true; readonly done?: Done<unknown, unknown> }
  | { readonly ok: false; readonly error: PlainError };

export interface PoolWorker {
  /** True when it has taken up its duty; also when it never will, which the first task then tells. */
  readonly isReady: boolean;
  /** Tasks that it has and has not answered, of whatever duty. */
  readonly underWay: number;
  /** This duty from now on: nothing changes where it is the one that it has. Tasks of the one before are done first. */
  begin(duty: WorkerJob): void;
  work(task: unknown, moved: ArrayBuffer[]): Promise<Done<unknown, unknown>>;
  stop(): Promise<unknown>;
}

/** One object for each duty: two that say the same are two duties. */
interface WorkerJob {
  readonly module: string;
  readonly job: unknown;
}

/** For the answer to an order. */
interface Waiting {
  resolve(done: Done<unknown, unknown> | undefined): void;
  reject(error: unknown): void;
}

/** What a task leaves behind is small and dead at once; without a limit each thread would keep 20 MB more. */
const maxYoungGenerationSizeMb = 4;

/** `options` go to the thread. */
export function startWorker(options: { readonly execArgv?: string[] } = {}): PoolWorker {
  const worker = new Worker(moduleUrl(import.meta.url, 'worker-main'), {
    resourceLimits: { maxYoungGenerationSizeMb },
    ...options,
  });
  /** Answers come in the order of the orders. */
  const waiting: Waiting[] = [];
  let current: WorkerJob | undefined;
  /** Of those who wait, how many wait for it to take up a duty. */
  let beginning = 0;
  /** A thread that is gone answers nobody, so nobody may wait for it: not who asked, not who asks later. */
  let gone: unknown;
  const die = (error: unknown): void => {
    gone ??= error;
    for (const asked of waiting.splice(0)) asked.reject(gone);
  };
  worker.on('message', (reply: Reply) => {
    const asked = waiting.shift();
    if (reply.ok) asked?.resolve(reply.done);
    else asked?.reject(reviveError(reply.error));
  });
  worker.on('error', die);
  worker.on('exit', () => die(new Error('a worker thread ended before its work was done')));
  const tell = (order: Order, moved: ArrayBuffer[]): void => worker.postMessage(order, moved);
  return {
    get isReady() {
      return beginning === 0 || gone !== undefined;
    },
    get underWay() {
      return waiting.length - beginning;
    },
    begin(duty) {
      if (duty === current || gone !== undefined) return;
      current = duty;
      beginning++;
      waiting.push({ resolve: () => beginning--, reject: die });
      tell({ kind: 'begin', ...duty }, []);
    },
    work: (task, moved) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        waiting.push({ resolve: (done) => resolve(done!), reject });
        tell({ kind: 'task', task }, moved);
      }),
    stop: () => worker.terminate(),
  };
}
