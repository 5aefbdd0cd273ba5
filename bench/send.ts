/** Users one by one: what a user costs `import-users`, and how exactly it keeps a rate. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { measure, type Measured } from './measure.ts';
import { verdict } from './race.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = fileURLToPath(new URL('./send/child.js', import.meta.url));
/** Goals: processor time a user, memory that ten times the users may add, share of the rate that is used. */
const mostMicros = 250;
const mostGrowth = 32 * 1024 * 1024;
const leastOfRate = 0.99;
/** Requests a second that are asked for, and what the server allows; the hosted service's own numbers first. */
const paces = [
  { asked: 45, allowed: 50, seconds: 70 },
  { asked: 500, allowed: 500, seconds: 20 },
];

interface Target {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly port: number;
  readonly token: string;
  readonly orgId: string;
}

interface Arrivals {
  readonly count: number;
  readonly seconds: number;
  readonly worstSecond: number;
  readonly worstMinute: number;
  readonly refused: number;
}

export const sendBench: Bench = {
  name: 'send',
  about: 'users imported one by one: processor time and memory, and the rate at 45/s and 500/s',
  async *rows({ sizes, runs, seconds, say }: BenchOptions): AsyncIterable<Row> {
    for (const count of sizes.length > 0 ? sizes : [150_000]) {
      yield* await withServer(undefined, (target) => unlimited(count, runs, target, say));
    }
    for (const pace of paces) {
      yield await withServer(pace.allowed, (target) =>
        paced({ ...pace, ...(seconds && { seconds }) }, target, say),
      );
    }
  },
};

/** A tenth of the users first: what the whole number takes beyond that is not flat. */
async function unlimited(
  count: number,
  runs: number,
  target: Target,
  say: (text: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const users of [Math.round(count / 10), count]) {
    const task = `import of ${formatCount(users)} users one by one, no limit`;
    const measured: Row[] = [];
    for (let run = 0; run < runs; run++) {
      say(`${task}: run ${run + 1} of ${runs}`);
      const body = writeBody(users, `${users}-${run}`, target);
      await ask<Arrivals>(target.child);
      const { cpuSeconds, peakBytes } = await importUsers(body, target, ['--rate=unlimited']);
      const { seconds } = await ask<Arrivals>(target.child);
      measured.push({ task, who: 'idport', seconds, cpuSeconds, peakBytes, rate: perSecond(users, seconds) });
    }
    rows.push(medianOf(measured));
  }
  const [few, many] = rows as [Row, Row];
  const micros = Math.round(((many.cpuSeconds ?? NaN) * 1e6) / count);
  const growth = (many.peakBytes ?? NaN) - (few.peakBytes ?? NaN);
  const remarks = [
    `${micros} us of processor time a user, start-up and journal included`,
    verdict(`at most ${mostMicros} us`, micros <= mostMicros),
    verdict(`at most ${formatBytes(mostGrowth)} more memory than for a tenth`, growth <= mostGrowth),
  ];
  return [few, { ...many, remark: remarks.join('; ') }];
}

async function paced(
  { asked, allowed, seconds }: { asked: number; allowed: number; seconds: number },
  target: Target,
  say: (text: string) => void,
): Promise<Row> {
  const task = `import one by one at ${asked}/s where ${allowed}/s are allowed`;
  say(`${task}: ${seconds} s`);
  await ask<Arrivals>(target.child);
  await importUsers(writeBody(asked * seconds, 'paced', target), target, [`--rate=${asked}/s`]);
  const seen = await ask<Arrivals>(target.child);
  const reached = (seen.count - 1) / seen.seconds / asked;
  return {
    task,
    who: 'idport',
    seconds: seen.seconds,
    rate: perSecond(seen.count - 1, seen.seconds),
    remark:
      `${(100 * reached).toFixed(1)} % of the rate; ${seen.refused} refused (429); ` +
      `worst second ${seen.worstSecond}, worst minute ${seen.worstMinute}; ` +
      verdict(
        `at least ${100 * leastOfRate} %, never above it`,
        reached >= leastOfRate && seen.refused === 0 && seen.worstSecond <= asked,
      ),
  };
}

async function withServer<Result>(
  rate: number | undefined,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
  const child = fork(server, rate === undefined ? [] : [String(rate)]);
  // Each question has a listener of its own.
  child.setMaxListeners(0);
  try {
    const started = await next<Omit<Target, 'child' | 'folder'>>(child);
    return await work({ child, folder, ...started });
  } finally {
    child.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function importUsers(
  body: string,
  { folder, port, token, orgId }: Target,
  flags: readonly string[],
): Promise<Measured> {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const command = [process.execPath, `${root}bin/idport.js`, 'import-users', body, `--org=${orgId}`];
  const measured = await measure([
    ...command,
    `--url=http://127.0.0.1:${port}`,
    `--token-file=${tokenFile}`,
    ...flags,
  ]);
  if (measured.exitCode === 0) return measured;
  throw new Error(`import-users ended with ${measured.exitCode}: ${measured.stderr.slice(-500)}`);
}

function writeBody(count: number, prefix: string, { folder, orgId }: Target): string {
  const path = join(folder, `${prefix}.json`);
  const humanUsers = Array.from({ length: count }, (_, at) => ({
    userId: `${prefix}-${at}`,
    user: user(prefix, at),
  }));
  writeFileSync(path, JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] } }));
  return path;
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

function ask<Message>(child: ChildProcess): Promise<Message> {
  child.send('arrivals');
  return next<Message>(child);
}

/** By processor time. */
function medianOf(rows: readonly Row[]): Row {
  return rows.toSorted((a, b) => (a.cpuSeconds ?? 0) - (b.cpuSeconds ?? 0))[Math.floor(rows.length / 2)]!;
}

const perSecond = (count: number, seconds: number): string => `${formatCount(count / seconds)} req/s`;
