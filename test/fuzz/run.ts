/**
 * `npm run fuzz [-- --count n | --time 60s] [--seed n] [--only scanner,...] [--path 7:0:1]`: draws inputs, tries them,
 * and says of each target which input shows a defect, made as small as it can be. Exit code 1 if there is one.
 */
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as fc from 'fast-check';
import { parseDuration } from '../../src/lib/go-duration.ts';
import { targets } from './targets/index.ts';

const { values: flags } = parseArgs({
  options: {
    count: { type: 'string' },
    time: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: targets.map(({ name }) => name).join(',') },
    path: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

/** Ends the process where an input does not end. Another thread sees it, and only this can write then. */
const watch = `
  const { workerData: { begun, replay } } = require('node:worker_threads');
  let last = -1;
  setInterval(() => {
    if (last === begun[0]) {
      require('node:fs').writeSync(2, replay + ' --path ' + (last - 1) + ': the input never ends\\n');
      process.kill(process.pid, 'SIGKILL');
    }
    last = begun[0];
  }, 300_000);`;

if (flags.help) {
  for (const { name, about } of targets) console.log(`${name.padEnd(12)}${about}`);
} else {
  await run();
}

async function run() {
  const names = flags.only.split(',');
  const chosen = targets.filter(({ name }) => names.includes(name));
  if (chosen.length < names.length)
    throw new Error(`there are: ${targets.map(({ name }) => name).join(', ')}`);
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const time = parseDuration(flags.time ?? '24h');
  const count = Number(flags.count ?? (flags.time === undefined ? 100_000 : 2 ** 30));
  const begun = new Int32Array(new SharedArrayBuffer(4));
  for (const { name, share, open } of chosen) {
    const replay = `--only ${name} --seed ${flags.seed}`;
    begun[0] = 0;
    const watchdog = new Worker(watch, { eval: true, workerData: { begun, replay } });
    const property = (await open()).beforeEach(() => void (begun[0]! += 1));
    const start = performance.now();
    const found = await fc.check(property, {
      seed: Number(flags.seed),
      path: flags.path,
      numRuns: Math.ceil((count * share) / shares),
      interruptAfterTimeLimit: (time * share) / shares,
    });
    await watchdog.terminate();
    const each = ((performance.now() - start) / begun[0]).toFixed(2);
    console.log(`${name.padEnd(12)}${String(found.numRuns).padStart(9)} inputs, ${each} ms each`);
    if (!found.failed) continue;
    process.exitCode = 1;
    console.log(`${replay} --path ${found.counterexamplePath}\n${fc.defaultReportMessage(found)}`);
  }
}
