/**
 * `npm run fuzz [-- --count n | --time 60s] [--seed n] [--only scanner,...] [--replay file]`: draws inputs, tries them,
 * and writes a file for each that shows a defect. Exit code 1 if there is one.
 */
import { cpuUsage } from 'node:process';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { durationToMs, parseDuration } from '../../src/lib/go-duration.ts';
import { root } from '../support/project.ts';
import { drawFrom } from './draw.ts';
import { type Find, readFind, seedOf, tryInput, writeFind } from './find.ts';
import type { FuzzTarget } from './target.ts';
import { targets } from './targets/index.ts';
import type { WorkerJob } from './worker.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string' },
    time: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    finds: { type: 'string', default: `${root}fuzz-finds` },
    replay: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Milliseconds of CPU; an input that takes more is a find. */
const patience = 5000;
/** Milliseconds; an input that waits forever takes no CPU. */
const forever = 300_000;

/** A thread does not inherit the loader that reads TypeScript. */
const startWorker = `(async () => {
  const { register } = await import(${JSON.stringify(import.meta.resolve('tsx/esm/api'))});
  register();
  import(${JSON.stringify(new URL('./worker.ts', import.meta.url).href)});
})();`;

if (flags.help) {
  for (const { name, about } of targets) console.log(`${name.padEnd(12)}${about}`);
} else if (flags.replay !== undefined) {
  await replay(readFind(flags.replay));
} else {
  await run();
}

async function run() {
  const names = flags.only.split(',').filter(Boolean);
  const chosen = targets.filter(({ name }) => names.length === 0 || names.includes(name));
  if (chosen.length < Math.max(1, names.length))
    throw new Error(`there are: ${targets.map(({ name }) => name).join(', ')}`);
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const milliseconds = flags.time === undefined ? Infinity : durationToMs(parseDuration(flags.time));
  const count = Number(flags.count ?? (flags.time === undefined ? 100_000 : 2 ** 30));
  console.log(`seed ${flags.seed}`);
  let all = 0;
  let finds = 0;
  for (const target of chosen) {
    const part = target.share / shares;
    const before = cpuUsage();
    const done = await runOne(target, Math.ceil(count * part), milliseconds * part);
    const { user, system } = cpuUsage(before);
    all += done.tried;
    finds += done.finds;
    const each = ((user + system) / Math.max(1, done.tried)).toFixed(0);
    console.log(
      `${target.name.padEnd(12)}${String(done.tried).padStart(9)} inputs, ${each} us of CPU each, ${done.finds} finds`,
    );
  }
  console.log(`${'all'.padEnd(12)}${String(all).padStart(9)} inputs, ${finds} finds`);
  process.exitCode = finds > 0 ? 1 : 0;
}

/** Runs one target in a thread of its own, which is ended if an input does not end. */
async function runOne(target: FuzzTarget, count: number, milliseconds: number) {
  const progress = new SharedArrayBuffer(4);
  const index = new Int32Array(progress);
  const from = Number(flags.from);
  const job: WorkerJob = {
    target: target.name,
    seed: Number(flags.seed),
    from,
    to: from + count,
    patience,
    until: Number.isFinite(milliseconds) ? Date.now() + milliseconds : Infinity,
    progress,
  };
  let tried = 0;
  let finds = 0;
  const report = (find: Find) => {
    finds += 1;
    const path = writeFind(flags.finds, find);
    console.log(
      `${find.kind}: ${find.target} --seed ${find.seed} --from ${find.index}\n${find.message}\n  ${path}`,
    );
  };
  const worker = new Worker(startWorker, { eval: true, workerData: job });
  await new Promise<void>((resolve, reject) => {
    let last = { index: -1, cpu: 0, at: 0 };
    const watch = setInterval(() => {
      const { user, system } = cpuUsage();
      const now = { index: Atomics.load(index, 0), cpu: (user + system) / 1000, at: performance.now() };
      if (now.index === 0 || now.index !== last.index) {
        last = now;
      } else if (now.cpu - last.cpu > 2 * patience || now.at - last.at > forever) {
        report(hung(target, job, now.index - 1));
        tried = now.index - from;
        clearInterval(watch);
        worker.terminate().then(() => resolve(), reject);
      }
    }, 1000);
    worker.on('message', (message: { find?: Find; tried?: number }) => {
      if (message.find !== undefined) report(message.find);
      if (message.tried !== undefined) tried = message.tried;
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      clearInterval(watch);
      resolve();
    });
  });
  return { tried, finds };
}

function hung({ name }: FuzzTarget, { seed }: WorkerJob, index: number): Find {
  return { target: name, seed, index, kind: 'slow', message: 'the input never ends', input: '', drawn: '' };
}

async function replay(find: Find) {
  const target = targets.find(({ name }) => name === find.target);
  if (target === undefined) throw new Error(`no target ${find.target}`);
  const opened = await target.open();
  const seed = seedOf(find);
  const input = find.input === '' ? opened.make(drawFrom(seed)) : Buffer.from(find.input, 'base64');
  const failure = await tryInput(opened, input, seed);
  await opened.close?.();
  console.log(failure === undefined ? 'holds now' : `${failure.kind}: ${failure.message}`);
  process.exitCode = failure === undefined ? 0 : 1;
}
