/** Users one by one: `import-users` without a limit beside a bare loop of undici, and what it makes of a rate. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatCount } from '../src/lib/quantity.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { measure, type Measured } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = fileURLToPath(new URL('./send/child.js', import.meta.url));
const bare = fileURLToPath(new URL('./send/bare.js', import.meta.url));
const connections = 64;
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
  about: 'users imported one by one: without a limit, and at 45/s and 500/s',
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

interface Race {
  readonly who: string;
  /** From the first user to the last request as the server saw them: start-up is not sending. */
  readonly seconds: number;
  /** Of the client, for the sending alone. */
  readonly cpuSeconds: number;
}

/** In turns, so that whatever else the machine does meets both. */
async function unlimited(
  count: number,
  runs: number,
  target: Target,
  say: (text: string) => void,
): Promise<Row[]> {
  const task = `import of ${formatCount(count)} users one by one, no limit`;
  const theirs: Race[] = [];
  const ours: Race[] = [];
  await bareLoop(writeBody(Math.min(count, 5000), 'warm', target), target);
  for (let run = 0; run < runs; run++) {
    say(`${task}: run ${run + 1} of ${runs}`);
    await ask<Arrivals>(target.child);
    const cpuSeconds = await bareLoop(writeBody(count, `bare-${run}`, target), target);
    const { seconds } = await ask<Arrivals>(target.child);
    theirs.push({ who: 'undici loop', seconds, cpuSeconds });
    ours.push(await raceOurs(writeBody(count, `ours-${run}`, target), target));
  }
  const rows = [medianOf(theirs), medianOf(ours)];
  const [loop, idport] = rows as [Race, Race];
  return rows.map((race) => ({
    task,
    ...race,
    rate: perSecond(count, race.seconds),
    ...(race === idport ? { faster: [{ than: loop.who, times: loop.seconds / idport.seconds }] } : {}),
    remark: `${Math.round((race.cpuSeconds * 1e6) / count)} us of processor time a user${race === idport ? ', journal on the disk included' : ''}`,
  }));
}

/** A dry run reads everything and sends nothing: what it takes is not sending. */
async function raceOurs(body: string, target: Target): Promise<Race> {
  const dry = await importUsers(body, target, ['--rate=unlimited', '--dry-run']);
  await ask<Arrivals>(target.child);
  const { cpuSeconds = NaN } = await importUsers(body, target, ['--rate=unlimited']);
  const { seconds } = await ask<Arrivals>(target.child);
  return { who: 'idport', seconds, cpuSeconds: cpuSeconds - (dry.cpuSeconds ?? NaN) };
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
      `worst second ${seen.worstSecond}, worst minute ${seen.worstMinute}`,
  };
}

async function withServer<Result>(
  rate: number | undefined,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
  const child = fork(server, rate === undefined ? [] : [String(rate)]);
  // One for all questions, however many there are.
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

/** The same users over as many connections, each answer read; no journal. Gives processor seconds. */
async function bareLoop(body: string, { port, token, orgId }: Target): Promise<number> {
  const args = [body, String(port), token, orgId, String(connections)];
  const child = fork(bare, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  let printed = '';
  child.stdout?.on('data', (text: Buffer) => (printed += text.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the bare loop ended with ${String(code)}`);
  return (JSON.parse(printed) as { cpuSeconds: number }).cpuSeconds;
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

/** By wall time. */
function medianOf(races: readonly Race[]): Race {
  const sorted = races.toSorted((a, b) => a.seconds - b.seconds);
  return sorted[Math.floor(sorted.length / 2)]!;
}

const perSecond = (count: number, seconds: number): string => `${formatCount(count / seconds)} req/s`;
