/**
 * Tasks in, what was made of each out, in the same order: by other threads, and by this one whenever those have enough
 * to do. The threads stay for all that a run has to do, one duty after the other.
 */
import { Worker } from 'node:worker_threads';
import { batchMemory } from './batch-memory.ts';
import { type PlainError, reviveError } from './plain-error.ts';
import { threadIsAtWork } from './engine-flags.ts';

/** What is done with each task, on whatever thread. */
export interface Duty<Task, Answer> {
  readonly work: (task: Task) => Answer | Promise<Answer>;
  /** Memory that belongs to the task alone: it changes threads without a copy, and in the end it is used again. */
  readonly buffersOfTask: (task: Task) => ArrayBuffer[];
  /** The same of an answer, which may stand in memory of its task. */
  readonly buffersOfAnswer: (answer: Answer) => ArrayBuffer[];
}

export interface DutyPlan<Task, Answer> {
  /** Exports `takeUp`, which makes the duty out of the job; see `moduleBeside`. */
  readonly module: URL;
  /** What the duty needs to know; survives a structured clone. */
  readonly job: unknown;
  /** The same duty for this thread. */
  readonly duty: Duty<Task, Answer>;
}

export interface DutyModule {
  readonly takeUp: (job: unknown) => Duty<unknown, unknown> | Promise<Duty<unknown, unknown>>;
}

/** A task, and what was made of it: good until the next one is asked for. */
export interface Done<Task, Answer> {
  readonly task: Task;
  readonly answer: Answer;
}

export interface Crew {
  /** Where the tasks fail, what came before is finished first. */
  run<Task, Answer>(
    tasks: AsyncIterable<Task>,
    plan: DutyPlan<Task, Answer>,
  ): AsyncGenerator<Done<Task, Answer>>;
  close(): Promise<void>;
}

/** What a thread is told. The module and the job come with the first task of a duty. */
export interface Order {
  readonly duty: number;
  readonly begin?: { readonly module: string; readonly job: unknown };
  readonly task: unknown;
}

/** What it answers: the task as well, because of its memory. An error is taken apart. */
export type Reply =
  | ({ readonly ok: true } & Done<unknown, unknown>)
  | { readonly ok: false; readonly error: PlainError };

/** Tasks under way at each thread, one in work, the others so that it never waits. */
const ahead = 6;
/** Tasks that are finished before their turn may wait for it; more would only cost memory. */
const finishedAhead = 8;

/** What a task leaves behind is small and dead at once; without a limit each thread would keep 20 MB more. */
const maxYoungGenerationSizeMb = 4;

/** This thread counts as one: reading and writing leave it time. Where it is the only one, no other is started. */
export function createCrew(threads: number): Crew {
  let hands: Hand[] | undefined;
  let duties = 0;
  return {
    async *run<Task, Answer>(
      tasks: AsyncIterable<Task>,
      { module, job, duty }: DutyPlan<Task, Answer>,
    ): AsyncGenerator<Done<Task, Answer>> {
      const here = async (task: Task): Promise<Done<Task, Answer>> => ({
        task,
        answer: await duty.work(task),
      });
      if (threads <= 1) {
        for await (const task of tasks) yield* lent(await here(task), duty);
        return;
      }
      const number = ++duties;
      const begin = { module: module.href, job };
      const there = (task: Task): Promise<Done<Task, Answer>> | undefined => {
        hands ??= Array.from({ length: threads - 1 }, startHand);
        const hand = hands.find(({ underWay }) => underWay < ahead);
        const order = { duty: number, begin, task };
        return hand?.work(order, duty.buffersOfTask(task)) as Promise<Done<Task, Answer>> | undefined;
      };
      const all = inOrder(tasks, threads * ahead + finishedAhead, (task) => there(task) ?? here(task));
      for await (const done of all) yield* lent(done, duty);
    },
    close: async () => {
      await Promise.all((hands ?? []).map((hand) => hand.stop()));
    },
  };
}

/** Built modules stand beside built ones; what is run from source needs the loader that runs this file. */
export function moduleBeside(url: string, name: string): URL {
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}

/** Afterwards the memory of the task is used again. */
function* lent<Task, Answer>(
  done: Done<Task, Answer>,
  { buffersOfTask }: Duty<Task, Answer>,
): Generator<Done<Task, Answer>> {
  yield done;
  for (const buffer of buffersOfTask(done.task)) batchMemory.giveBack(buffer);
}

async function* inOrder<Task, Answer>(
  tasks: AsyncIterable<Task>,
  most: number,
  begin: (task: Task) => Promise<Done<Task, Answer>>,
): AsyncGenerator<Done<Task, Answer>> {
  const pending: Promise<Done<Task, Answer>>[] = [];
  let failure: { error: unknown } | undefined;
  for await (const task of upToFailure(tasks, (error) => (failure = { error }))) {
    const done = begin(task);
    // Awaited later, in order; until then a failure must not count as unhandled.
    done.catch(() => {});
    pending.push(done);
    // Answers of others come in between turns of the event loop, which busy work would never end.
    await nextTurn();
    if (pending.length >= most) yield await pending.shift()!;
  }
  for (const done of pending) yield await done;
  if (failure) throw failure.error;
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

interface Hand {
  /** Tasks that it has and has not answered. */
  readonly underWay: number;
  work(order: Order, moved: ArrayBuffer[]): Promise<Done<unknown, unknown>>;
  stop(): Promise<unknown>;
}

interface Waiting {
  resolve(done: Done<unknown, unknown>): void;
  reject(error: unknown): void;
}

function startHand(): Hand {
  const worker = new Worker(moduleBeside(import.meta.url, 'crew-worker'), {
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  worker.once('message', threadIsAtWork);
  /** Answers come in the order of the tasks. */
  const waiting: Waiting[] = [];
  let lastDuty = 0;
  worker.on('message', (reply: Reply) => {
    const asked = waiting.shift();
    if (reply.ok) asked?.resolve(reply);
    else asked?.reject(reviveError(reply.error));
  });
  /** A thread that is gone answers nobody, so nobody may wait for it: not who asked, not who asks later. */
  let gone: Error | undefined;
  const die = (error: Error): void => {
    gone ??= error;
    for (const asked of waiting.splice(0)) asked.reject(gone);
  };
  worker.on('error', die);
  worker.on('exit', () => die(new Error('a worker thread ended before its work was done')));
  return {
    get underWay() {
      return waiting.length;
    },
    work: ({ duty, begin, task }, moved) =>
      new Promise((resolve, reject) => {
        if (gone) {
          reject(gone);
          return;
        }
        waiting.push({ resolve, reject });
        const isNew = duty !== lastDuty;
        lastDuty = duty;
        worker.postMessage(isNew ? { duty, begin, task } : { duty, task }, moved);
      }),
    stop: () => worker.terminate(),
  };
}
