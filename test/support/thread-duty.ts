/** A duty for tests of threads: it tells on which thread a task was done, and what that thread had been taught. */
import { threadId } from 'node:worker_threads';
import type { Duty } from '../../src/lib/crew.ts';

export interface TaskDone {
  readonly task: number;
  readonly thread: number;
  /** The name of the duty. */
  readonly duty: string;
  readonly lessons: readonly unknown[];
}

/** With `fails` it can do no task. */
export function takeUp({
  fails = false,
  name = '',
}: { readonly fails?: boolean; readonly name?: string } = {}): Duty<number, TaskDone> {
  const lessons: unknown[] = [];
  const done: number[] = [];
  return {
    work: (task) => {
      if (fails) throw new Error('this task cannot be done');
      done.push(task);
      return { task, thread: threadId, duty: name, lessons: [...lessons] };
    },
    buffersOfTask: () => [],
    buffersOfAnswer: () => [],
    lesson: () => [...done],
    adopt: (lesson) => lessons.push(lesson),
  };
}
