/** The thread that runs one target, so that an input that never ends can be ended from outside. */
import { parentPort, workerData } from 'node:worker_threads';
import { runTarget } from './run-target.ts';
import { targets } from './targets/index.ts';

export interface WorkerJob {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly patience: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** The number of the current input, for the main thread. */
  readonly progress: SharedArrayBuffer;
}

const job = workerData as WorkerJob;
const progress = new Int32Array(job.progress);
const target = targets.find(({ name }) => name === job.target);
if (target === undefined) throw new Error(`no target ${job.target}`);

const tried = await runTarget(target, {
  ...job,
  // Time on the processor: a busy machine or a slow disk is not a defect of the input.
  now: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  before(index) {
    Atomics.store(progress, 0, index + 1);
    return Date.now() > job.until;
  },
  found: (find) => parentPort?.postMessage({ find }),
});
parentPort?.postMessage({ tried });
