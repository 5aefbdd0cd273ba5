/** A thread of a pool: a duty comes in as a message, then tasks; what was made of them goes out in the same order. */
import { parentPort } from 'node:worker_threads';
import type { Job, JobModule } from './pool.ts';
import type { Order, Reply } from './worker.ts';
import { flattenError } from './plain-error.ts';

let duty: Job<unknown, unknown>;
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: Order) => {
  last = last.then(() => answer(order));
});

async function answer(order: Order): Promise<void> {
  try {
    if (order.kind === 'task') await work(order.task);
    else {
      const { startJob } = (await import(order.module)) as JobModule;
      duty = await startJob(order.job);
      post({ ok: true }, []);
    }
  } catch (error) {
    post({ ok: false, error: flattenError(error) }, []);
  }
}

async function work(task: unknown): Promise<void> {
  const answer = await duty.work(task);
  const moved = new Set([...duty.buffersOfTask(task), ...duty.buffersOfResult(answer)]);
  post({ ok: true, done: { task, answer } }, [...moved]);
}

function post(reply: Reply, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(reply, moved);
}
