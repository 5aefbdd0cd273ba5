/** A duty for tests of threads: it tells on which thread a task was done. */
import { threadId } from 'node:worker_threads';
import type { Job } from '../../src/workers/pool.ts';

export interface TaskDone {
  readonly task: number;
  readonly thread: number;
  /** The name of the duty. */
  readonly duty: string;
}

/** With `fails` it can do no task. */
export function startJob({
  fails = false,
  name = '',
}: { readonly fails?: boolean; readonly name?: string } = {}): Job<number, TaskDone> {
  return {
    work: (task) => {
      if (fails) throw new Error('this task cannot be done');
      return { task, thread: threadId, duty: name };
    },
    buffersOfTask: () => [],
    buffersOfResult: () => [],
  };
}
