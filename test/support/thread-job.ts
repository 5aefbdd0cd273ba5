/** A job for tests of worker pools: its results say on which thread each task was done. */
import { threadId } from 'node:worker_threads';
import type { Job } from '../../src/workers/job.ts';

export interface TaskDone {
  readonly task: number;
  readonly thread: number;
  /** The name of the job. */
  readonly job: string;
}

/** With `fails` every task fails. */
export function startJob({
  fails = false,
  name = '',
}: { readonly fails?: boolean; readonly name?: string } = {}): Job<number, TaskDone> {
  return {
    work: (task) => {
      if (fails) throw new Error('this task cannot be done');
      return { task, thread: threadId, job: name };
    },
    buffersOfTask: () => [],
    buffersOfResult: () => [],
  };
}
