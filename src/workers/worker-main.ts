/** The main module of a worker thread: starts jobs and runs tasks as requested by messages, one after the other. */
import { parentPort } from 'node:worker_threads';
import type { Job, JobModule } from './job.ts';
import { flattenError } from './plain-error.ts';
import type { WorkerRequest, WorkerResponse } from './worker.ts';

let job: Job<unknown, unknown>;
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: WorkerRequest) => {
  last = last.then(() => handle(request));
});

async function handle(request: WorkerRequest): Promise<void> {
  try {
    if (request.kind === 'task') await work(request.task);
    else {
      const { startJob } = (await import(request.module)) as JobModule;
      job = await startJob(request.settings);
      respond({ ok: true }, []);
    }
  } catch (error) {
    respond({ ok: false, error: flattenError(error) }, []);
  }
}

async function work(task: unknown): Promise<void> {
  const result = await job.work(task);
  const moved = new Set([...job.buffersOfTask(task), ...job.buffersOfResult(result)]);
  respond({ ok: true, done: { task, result } }, [...moved]);
}

function respond(response: WorkerResponse, moved: ArrayBuffer[]): void {
  parentPort?.postMessage(response, moved);
}
