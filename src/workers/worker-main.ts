/** A thread of a crew: a duty comes in as a message, then tasks; what was made of them goes out in the same order. */
import { parentPort } from 'node:worker_threads';
import type { Duty, DutyModule } from './pool.ts';
import type { Order, Reply } from './worker.ts';
import { flattenError } from './plain-error.ts';

let duty: Duty<unknown, unknown>;
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: Order) => {
  last = last.then(() => answer(order));
});

async function answer(order: Order): Promise<void> {
  try {
    if (order.kind === 'task') await work(order.task);
    else {
      const { takeUp } = (await import(order.module)) as DutyModule;
      duty = await takeUp(order.job);
      post({ ok: true }, []);
    }
  } catch (error) {
    post({ ok: false, error: flattenError(error) }, []);
  }
}

async function work(task: unknown): Promise<void> {
  const answer = await duty.work(task);
  const moved = new Set([...duty.buffersOfTask(task), ...duty.buffersOfAnswer(answer)]);
  post({ ok: true, done: { task, answer } }, [...moved]);
}

function post(reply: Reply, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(reply, moved);
}
