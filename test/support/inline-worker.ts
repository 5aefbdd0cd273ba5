/** In the place of a thread: runs the job on this one, because a thread that reads TypeScript takes a second to start. */
import type { Job, JobModule } from '../../src/workers/job.ts';
import type { PoolWorker } from '../../src/workers/worker.ts';

export function startInlineWorker(): PoolWorker {
  let job: Promise<Job<unknown, unknown>> | undefined;
  let underWay = 0;
  return {
    isReady: true,
    hasEnded: false,
    get underWay() {
      return underWay;
    },
    begin({ module, settings }) {
      job ??= import(module).then((loaded) => (loaded as JobModule).startJob(settings));
    },
    async work(task) {
      underWay++;
      try {
        return { task, result: await (await job!).work(task) };
      } finally {
        underWay--;
      }
    },
    stop: async () => undefined,
  };
}

/** For `vi.mock(import('…/workers/worker.ts'), () => import('…/inline-worker.ts'))`. */
export { startInlineWorker as startWorker };
