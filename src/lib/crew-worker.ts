/** A thread of a crew: tasks come in as messages, what was made of them goes out in the same order. */
import { parentPort } from 'node:worker_threads';
import type { Duty, DutyModule, Order, Reply } from './crew.ts';
import { flattenError } from './plain-error.ts';

let duty: Promise<Duty<unknown, unknown>> | undefined;
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: Order) => {
  last = last.then(() => answer(order));
});

async function answer({ begin, task }: Order): Promise<void> {
  try {
    if (begin !== undefined) duty = takeUp(begin);
    const { work, buffersOfTask, buffersOfAnswer } = await duty!;
    const made = await work(task);
    post({ ok: true, task, answer: made }, [...new Set([...buffersOfTask(task), ...buffersOfAnswer(made)])]);
  } catch (error) {
    post({ ok: false, error: flattenError(error) }, []);
  }
}

async function takeUp({ module, job }: NonNullable<Order['begin']>): Promise<Duty<unknown, unknown>> {
  const { takeUp } = (await import(module)) as DutyModule;
  return takeUp(job);
}

function post(reply: Reply, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(reply, moved);
}
