/** A thread as those see it who give it work: what it is told, and what it answers, in order. */
import { Worker } from 'node:worker_threads';
import type { Done } from './crew.ts';
import { threadIsAtWork } from './engine-flags.ts';
import { moduleBeside } from './module-beside.ts';
import { type PlainError, reviveError } from './plain-error.ts';

/** What a thread is told: first of all what its duty is. A lesson comes with the first task, if there is one. */
export type Order =
  | { readonly kind: 'begin'; readonly module: string; readonly job: unknown }
  | { readonly kind: 'task'; readonly task: unknown; readonly lesson?: unknown };

/** What it answers, to each order in its turn: the task as well, because of its memory. An error is taken apart. */
export type Reply =
  | { readonly ok: true; readonly done?: Done<unknown, unknown> }
  | { readonly ok: false; readonly error: PlainError };

export interface Hand {
  /** True when it has taken up its duty; also when it never will, which the first task then tells. */
  readonly isReady: boolean;
  /** Tasks that it has and has not answered. */
  readonly underWay: number;
  /** Another duty from now on; all tasks of the one before are answered. */
  begin(duty: { readonly module: string; readonly job: unknown }, lesson?: () => unknown): void;
  work(task: unknown, moved: ArrayBuffer[]): Promise<Done<unknown, unknown>>;
  stop(): Promise<unknown>;
}

interface Waiting {
  resolve(done: Done<unknown, unknown>): void;
  reject(error: unknown): void;
}

/** What a task leaves behind is small and dead at once; without a limit each thread would keep 20 MB more. */
const maxYoungGenerationSizeMb = 4;

/** `options` go to the thread. */
export function startHand(options: { readonly execArgv?: string[] } = {}): Hand {
  const worker = new Worker(moduleBeside(import.meta.url, 'crew-worker'), {
    resourceLimits: { maxYoungGenerationSizeMb },
    ...options,
  });
  worker.once('message', threadIsAtWork);
  /** Answers come in the order of the tasks. */
  const waiting: Waiting[] = [];
  let beginning = 0;
  let lessonNow: (() => unknown) | undefined;
  /** A thread that is gone answers nobody, so nobody may wait for it: not who asked, not who asks later. */
  let gone: unknown;
  const die = (error: unknown): void => {
    gone ??= error;
    for (const asked of waiting.splice(0)) asked.reject(gone);
  };
  worker.on('message', (reply: Reply) => {
    if (beginning > 0) {
      beginning--;
      if (!reply.ok) die(reviveError(reply.error));
      return;
    }
    const asked = waiting.shift();
    if (!reply.ok) asked?.reject(reviveError(reply.error));
    else if (reply.done !== undefined) asked?.resolve(reply.done);
  });
  worker.on('error', die);
  worker.on('exit', () => die(new Error('a worker thread ended before its work was done')));
  const tell = (order: Order, moved: ArrayBuffer[]): void => worker.postMessage(order, moved);
  return {
    get isReady() {
      return beginning === 0 || gone !== undefined;
    },
    get underWay() {
      return waiting.length;
    },
    begin({ module, job }, lesson) {
      beginning++;
      lessonNow = lesson;
      tell({ kind: 'begin', module, job }, []);
    },
    work: (task, moved) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        waiting.push({ resolve, reject });
        const lesson = lessonNow?.();
        lessonNow = undefined;
        tell({ kind: 'task', task, ...(lesson === undefined ? {} : { lesson }) }, moved);
      }),
    stop: () => worker.terminate(),
  };
}
