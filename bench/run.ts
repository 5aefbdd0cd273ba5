/**
 * `npm run bench [-- names...] [--size n,n] [--population name,name] [--runs n] [--seconds n] [--json|--markdown]` measures idport
 * beside its stand-ins in one run. Standard output has one table (or JSON), standard error the progress.
 */
import { cpus, loadavg, release, type } from 'node:os';
import { parseArgs } from 'node:util';
import { auth0Bench } from './auth0.ts';
import type { Bench, Row } from './bench.ts';
import { checkBench } from './check.ts';
import { goVersion } from './go.ts';
import { jitBench } from './jit.ts';
import { keycloakBench } from './keycloak.ts';
import { liveBench } from './live.ts';
import { mappedBench } from './mapped.ts';
import { sendBench } from './send.ts';
import { orgsBench } from './orgs.ts';
import { serverBench } from './server.ts';
import { startupBench } from './startup.ts';
import { formatMarkdown, formatTable } from './table.ts';
import { verifyBench } from './verify.ts';

const benches: readonly Bench[] = [
  keycloakBench,
  auth0Bench,
  mappedBench,
  liveBench,
  orgsBench,
  checkBench,
  serverBench,
  sendBench,
  startupBench,
  verifyBench,
  jitBench,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '' },
    population: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  for (const { name, about } of benches) console.log(`${name.padEnd(12)}${about}`);
} else {
  await run();
}

async function run(): Promise<void> {
  const chosen = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const rows: Row[] = [];
  for (const bench of chosen) {
    const options = {
      sizes: values.size.split(',').filter(Boolean).map(Number),
      populations: values.population.split(',').filter(Boolean),
      runs: Number(values.runs),
      seconds: values.seconds === undefined ? undefined : Number(values.seconds),
      say: (text: string) => console.error(`${bench.name}: ${text}`),
    };
    for await (const row of bench.rows(options)) rows.push(row);
  }
  const machine = {
    load: loadavg().map((load) => Math.round(load * 10) / 10),
    node: process.versions.node,
    go: goVersion ?? 'not installed, so its rows are missing',
    system: `${type()} ${release()}`,
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
  };
  if (values.json) console.log(JSON.stringify({ machine, rows }, undefined, 2));
  else
    console.log(
      `${machine.cpu}, ${machine.cores} cores, ${machine.system}, load ${machine.load.join(' ')}; ` +
        `Node ${machine.node}; Go ${machine.go}\n\n${values.markdown ? formatMarkdown(rows) : formatTable(rows)}`,
    );
}
