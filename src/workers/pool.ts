/**
 * Tasks in, what was made of each out, in the same order: by other threads, and by this one whenever those have enough
 * to do or are not ready yet. The threads stay for all that a run has to do, one duty after the other.
 */
import { batchMemory } from '../lib/batch-memory.ts';
import { type PoolWorker, startWorker } from './worker.ts';

/** What is done with each task, on whatever thread. */
export interface Job<Task, Answer> {
  readonly work: (task: Task) => Answer | Promise<Answer>;
  /** Memory that belongs to the task alone: it changes threads without a copy, and in the end it is used again. */
  readonly buffersOfTask: (task: Task) => ArrayBuffer[];
  /** The same of an answer, which may stand in memory of its task. */
  readonly buffersOfResult: (answer: Answer) => ArrayBuffer[];
}

export interface JobPlan<Task, Answer> {
  /** Exports `startJob`, which makes the duty out of the job; see `module-beside.ts`. */
  readonly module: URL;
  /** What the duty needs to know; survives a structured clone. */
  readonly job: unknown;
  /** The same duty for this thread. */
  readonly duty: Job<Task, Answer>;
}

export interface JobModule {
  readonly startJob: (job: unknown) => Job<unknown, unknown> | Promise<Job<unknown, unknown>>;
}

/** A task, and what was made of it: good until the next one is asked for. */
export interface Done<Task, Answer> {
  readonly task: Task;
  readonly answer: Answer;
}

export interface WorkerPool {
  /** Where the tasks fail, what came before is finished first. */
  run<Task, Answer>(
    tasks: AsyncIterable<Task>,
    plan: JobPlan<Task, Answer>,
  ): AsyncGenerator<Done<Task, Answer>>;
  close(): Promise<void>;
}

/** Tasks under way at each thread, one in work, the others so that it never waits. */
const ahead = 4;
/** Tasks that are finished before their turn may wait for it; more would only cost memory. */
const finishedAhead = 4;

/** This thread counts as one: reading and writing leave it time. Where it is the only one, no other is started. */
export function createWorkerPool(threads: number, start: () => PoolWorker = startWorker): WorkerPool {
  // At once, because it takes them a while.
  const hands = Array.from({ length: Math.max(threads, 1) - 1 }, start);
  return {
    async *run<Task, Answer>(
      tasks: AsyncIterable<Task>,
      { module, job, duty }: JobPlan<Task, Answer>,
    ): AsyncGenerator<Done<Task, Answer>> {
      const here = async (task: Task): Promise<Done<Task, Answer>> => ({
        task,
        answer: await duty.work(task),
      });
      const ours = { module: module.href, job };
      const there = (task: Task): Promise<Done<Task, Answer>> | undefined => {
        // Each time: where the tasks come of another run of this pool, its duty came in between.
        for (const hand of hands) hand.begin(ours);
        const hand = hands.find(({ isReady, underWay }) => isReady && underWay < ahead);
        return hand?.work(task, duty.buffersOfTask(task)) as Promise<Done<Task, Answer>> | undefined;
      };
      const all = inOrder(tasks, threads * ahead + finishedAhead, (task) => there(task) ?? here(task));
      for await (const done of all) yield* lent(done, duty);
    },
    close: async () => {
      await Promise.all(hands.map((hand) => hand.stop()));
    },
  };
}

/** Afterwards the memory of the task is used again. */
function* lent<Task, Answer>(
  done: Done<Task, Answer>,
  { buffersOfTask }: Job<Task, Answer>,
): Generator<Done<Task, Answer>> {
  yield done;
  for (const buffer of buffersOfTask(done.task)) batchMemory.release(buffer);
}

async function* inOrder<Task, Answer>(
  tasks: AsyncIterable<Task>,
  most: number,
  begin: (task: Task) => Promise<Done<Task, Answer>>,
): AsyncGenerator<Done<Task, Answer>> {
  const pending: Pending<Done<Task, Answer>>[] = [];
  let failure: { error: unknown } | undefined;
  for await (const task of upToFailure(tasks, (error) => (failure = { error }))) {
    pending.push(watch(begin(task)));
    // Answers of others, signals and timers come in between turns of the event loop, which busy work would never end.
    await nextTurn();
    // At once, because what is finished is still in the processor's cache, and its memory is wanted for the next one.
    while (pending[0]?.isSettled === true || pending.length >= most) yield await pending.shift()!.done;
  }
  for (const { done } of pending) yield await done;
  if (failure) throw failure.error;
}

interface Pending<Item> {
  readonly done: Promise<Item>;
  isSettled: boolean;
}

/** Awaited later, in order; until then a failure must not count as unhandled. */
function watch<Item>(done: Promise<Item>): Pending<Item> {
  const pending = { done, isSettled: false };
  const settle = (): void => {
    pending.isSettled = true;
  };
  done.then(settle, settle);
  return pending;
}

/** Ends where the items fail: what came before is finished first, so that it can be counted. */
async function* upToFailure<Item>(
  items: AsyncIterable<Item>,
  tell: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    tell(error);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
