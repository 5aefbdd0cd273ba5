/** People one by one: `import-users` without a limit beside a bare loop of undici, and what it makes of a rate. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { formatCount } from '../src/lib/quantity.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { measure } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const connections = 64;
/** Of the paced runs, in requests a second and seconds. */
const paces = [
  { rate: 45, seconds: 70 },
  { rate: 500, seconds: 20 },
];

interface Started {
  readonly port: number;
  readonly token: string;
  readonly orgId: string;
}

interface Arrivals {
  readonly count: number;
  readonly seconds: number;
  readonly worstSecond: number;
  readonly worstMinute: number;
}

export const sendBench: Bench = {
  name: 'send',
  about: 'people imported one by one: without a limit, and at 45/s and 500/s',
  async *rows({ sizes, runs, say }: BenchOptions): AsyncIterable<Row> {
    const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
    const child = fork(fileURLToPath(new URL('./send/child.js', import.meta.url)));
    try {
      const started = await next<Started>(child);
      for (const count of sizes.length > 0 ? sizes : [20_000])
        yield* unlimited(count, runs, folder, child, started, say);
      for (const { rate, seconds } of paces) yield await paced(rate, seconds, folder, child, started, say);
    } finally {
      child.disconnect();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** In turns, so that whatever else the machine does meets both. Arrivals are what counts: start-up is not sending. */
async function* unlimited(
  count: number,
  runs: number,
  folder: string,
  child: ChildProcess,
  started: Started,
  say: (text: string) => void,
): AsyncGenerator<Row> {
  const task = `import of ${formatCount(count)} people one by one, no limit`;
  const bare: number[] = [];
  const ours: number[] = [];
  await bareLoop(count, 'warm', started);
  for (let run = 0; run < runs; run++) {
    say(`${task}: run ${run + 1} of ${runs}`);
    await ask<Arrivals>(child);
    await bareLoop(count, `bare-${run}`, started);
    bare.push((await ask<Arrivals>(child)).seconds);
    await importUsers(count, `ours-${run}`, folder, started, 'unlimited');
    ours.push((await ask<Arrivals>(child)).seconds);
  }
  const bareSeconds = median(bare);
  const seconds = median(ours);
  yield { task, who: 'undici loop', seconds: bareSeconds, rate: perSecond(count, bareSeconds) };
  yield {
    task,
    who: 'idport',
    seconds,
    rate: perSecond(count, seconds),
    faster: [{ than: 'undici loop', times: bareSeconds / seconds }],
    remark: 'journal on the disk included',
  };
}

async function paced(
  rate: number,
  seconds: number,
  folder: string,
  child: ChildProcess,
  started: Started,
  say: (text: string) => void,
): Promise<Row> {
  const task = `import one by one at ${rate}/s`;
  say(`${task}: ${seconds} s`);
  await ask<Arrivals>(child);
  await importUsers(rate * seconds, `paced-${rate}`, folder, started, `${rate}/s`);
  const seen = await ask<Arrivals>(child);
  const reached = (seen.count - 1) / seen.seconds / rate;
  return {
    task,
    who: 'idport',
    seconds: seen.seconds,
    rate: perSecond(seen.count - 1, seen.seconds),
    remark: `${(100 * reached).toFixed(1)} % of the rate; worst second ${seen.worstSecond}, worst minute ${seen.worstMinute}`,
  };
}

async function importUsers(
  count: number,
  prefix: string,
  folder: string,
  { port, token, orgId }: Started,
  rate: string,
): Promise<void> {
  const body = join(folder, `${prefix}.json`);
  const humanUsers = Array.from({ length: count }, (_, at) => ({
    userId: `${prefix}-${at}`,
    user: user(prefix, at),
  }));
  writeFileSync(body, JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] } }));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const flags = [
    `--org=${orgId}`,
    `--url=http://127.0.0.1:${port}`,
    `--token-file=${tokenFile}`,
    `--rate=${rate}`,
  ];
  const { exitCode, stderr } = await measure([
    process.execPath,
    `${root}bin/idport.js`,
    'import-users',
    body,
    ...flags,
  ]);
  if (exitCode !== 0) throw new Error(`import-users ended with ${exitCode}: ${stderr.slice(-500)}`);
}

/** No journal, no look at the answers: as fast as the client library goes. */
async function bareLoop(count: number, prefix: string, { port, token, orgId }: Started): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-zitadel-orgid': orgId,
  };
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < count) {
      const body = JSON.stringify(user(prefix, sent++));
      const answer = await pool.request({
        method: 'POST',
        path: '/management/v1/users/human/_import',
        headers,
        body,
      });
      await answer.body.json();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
}

function user(prefix: string, at: number) {
  return {
    userName: `${prefix}-${at}`,
    profile: { firstName: 'First', lastName: `Last ${at}` },
    email: { email: `${prefix}-${at}@example.com`, isEmailVerified: true },
    hashedPassword: {
      value: '$pbkdf2-sha256$27500$fbYcY5LqLQB7Nf6WJDZSgg==$+R5Py6Pwb/D2yGjHXpQdEsWUHEKaBhnm4ddbPhLZnUk=',
    },
  };
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

async function ask<Message>(child: ChildProcess): Promise<Message> {
  child.send('arrivals');
  return next<Message>(child);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

const perSecond = (count: number, seconds: number): string => `${formatCount(count / seconds)} req/s`;
