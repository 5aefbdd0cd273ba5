/** Runs in a worker thread: starts jobs and runs tasks as messages request, one after another. */
import { parentPort } from 'node:worker_threads';
import { batchMemory } from '../lib/batch-memory.ts';
import { type Job, type JobModule, flattenError } from './job.ts';
import type { WorkerRequest, WorkerResponse } from './worker.ts';

/** `load` returns the module of a job by its URL. */
export function serveJobs(load: (url: string) => Promise<JobModule>) {
  let job: Job<unknown, unknown>;
  let last = Promise.resolve();

  const handle = async (request: WorkerRequest) => {
    try {
      if (request.kind === 'task') {
        for (const buffer of request.spare) batchMemory.release(buffer);
        await work(job, request.task);
        return;
      }
      const { startJob } = await load(request.module);
      job = await startJob(request.settings);
      respond({ ok: true }, []);
    } catch (error) {
      respond({ ok: false, error: flattenError(error) }, []);
    }
  };
  parentPort?.on('message', (request: WorkerRequest) => {
    last = last.then(() => handle(request));
  });
}

async function work(job: Job<unknown, unknown>, task: unknown) {
  const result = await job.work(task);
  respond({ ok: true, done: { task, result } }, [...job.buffersOfTask(task), ...job.buffersOfResult(result)]);
}

function respond(response: WorkerResponse, moved: ArrayBuffer[]) {
  parentPort?.postMessage(response, moved);
}
