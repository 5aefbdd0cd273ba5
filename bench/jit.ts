/**
 * What the receiver of a login-time migration adds to logins: 200 calls a second, ten of them first logins with an old
 * system that takes 50 ms, beside a target that does nothing; and its memory over many calls.
 */
import { fork, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { signatureHeader, signBody } from '../src/wire/signature.ts';
import type { Bench, Row } from './bench.ts';

const perSecond = 200;
/** Every so many calls are a first login. */
const firstEvery = 20;
const oldSystemMs = 50;
/** What the receiver may add to the 99th percentile, in milliseconds. */
const mostAddedMs = 250;
const migrated = 1000;
const key = 'signing-key-of-the-bench';
const defaultSeconds = 20;
const defaultCalls = 200_000;

export const jitBench: Bench = {
  name: 'jit',
  about: 'logins through the receiver of a login-time migration, and its memory',
  async *rows({ sizes, seconds = defaultSeconds, runs, say }): AsyncIterable<Row> {
    const closing: (() => unknown)[] = [];
    try {
      const count = perSecond * seconds;
      const newUsers = Math.ceil(count / firstEvery);
      const receiver = await startReceiver(newUsers * runs, closing);
      const nothing = await startServer((request, response) => {
        request.resume().on('end', () => response.end('{}'));
      }, closing);
      const task = `${count.toLocaleString('en')} logins, ${perSecond}/s`;
      const added: number[] = [];
      for (let run = 0; run < runs; run++) {
        say(`${task}, pair ${run + 1} of ${runs}: a target that does nothing, and the receiver`);
        const bare = await sendPaced(nothing, count, run * newUsers);
        const before = await countMigrated(receiver.url);
        const own = await sendPaced(receiver.url, count, run * newUsers);
        const done = (await countMigrated(receiver.url)) - before;
        added.push(at(own.all, 0.99) - at(bare.all, 0.99));
        yield { task, who: 'a target that does nothing', seconds, remark: describe(bare.all) };
        yield { task, who: 'idport', seconds, remark: describe(own.all) };
        const remark = `${done} of ${own.first.length} migrated; ${describe(own.first)}`;
        yield { task: `${task}, the first logins`, who: 'idport', seconds, remark };
      }
      const pairs = added.map((ms) => `${Math.round(ms)} ms`).join(', ');
      const verdict = added.every((ms) => ms < mostAddedMs) ? 'less' : 'not less';
      const remark = `p99 ${pairs} more in ${runs} pairs of runs: ${verdict} than ${mostAddedMs} ms`;
      yield { task: `${task}, what the receiver adds`, who: 'idport', seconds: seconds * runs, remark };
      for (const calls of sizes.length > 0 ? sizes : [defaultCalls]) {
        say(`memory over ${calls.toLocaleString('en')} calls`);
        yield await measureMemory(receiver, calls);
      }
    } finally {
      for (const close of closing.toReversed()) await close();
    }
  },
};

/** How many of the first logins were migrated within the time of their call. */
async function countMigrated(url: string): Promise<number> {
  const page = await (await fetch(`${url}metrics`)).text();
  return Number(/^idport_jit_calls_total\{outcome="migrated"\} (\d+)$/m.exec(page)?.[1]);
}

interface RunningReceiver {
  readonly url: string;
  readonly pid: number;
}

async function startReceiver(newUsers: number, closing: (() => unknown)[]): Promise<RunningReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'idport-bench-jit-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const service = fork(fileURLToPath(new URL('./server/child.js', import.meta.url)), ['reference'], {
    execArgv: ['--expose-gc'],
  });
  closing.push(() => service.disconnect());
  const { port, token } = await new Promise<{ port: number; token: string }>((resolve) => {
    service.once('message', (report) => resolve(report as { port: number; token: string }));
  });
  const url = `http://127.0.0.1:${port}`;
  await createUsers(url, token, newUsers);
  const oldSystem = await startServer((request, response) => {
    request.resume().on('end', () => setTimeout(() => response.end('{"result":"right"}'), oldSystemMs));
  }, closing);
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('token', token);
  write('jit.key', key);
  write('http.json', JSON.stringify({ url: oldSystem, signingKey: key }));
  const lines = Array.from({ length: migrated }, (_, n) =>
    JSON.stringify({ at: '2026-01-01T00:00:00.000Z', id: `old-${n}`, by: 'http' }),
  );
  write('jit.journal', `${lines.join('\n')}\n`);
  const program = fileURLToPath(new URL('../bin/idport.js', import.meta.url));
  const flags = `--url ${url} --token-file token --verifier http:http.json --any-user --signing-key-file jit.key --listen 127.0.0.1:0`;
  const child = spawn(process.execPath, [program, 'jit', 'serve', ...flags.split(' ')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => child.kill('SIGTERM'));
  const output = createInterface(child.stdout);
  const [line] = await new Promise<[string]>((resolve) =>
    output.once('line', (text: string) => resolve([text])),
  );
  output.on('line', () => undefined);
  return { url: (JSON.parse(line) as { url: string }).url, pid: child.pid! };
}

async function createUsers(url: string, token: string, count: number): Promise<void> {
  const pool = new Pool(url, { connections: 16 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let n = 0; n < count; n++) {
    const body = JSON.stringify({
      userId: `new-${n}`,
      username: `new-${n}`,
      profile: { givenName: 'A', familyName: 'B' },
      email: { email: `new-${n}@example.org`, isVerified: true },
    });
    const answer = await pool.request({ method: 'POST', path: '/v2/users/human', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode > 201) throw new Error(`a user was not created: ${text}`);
  }
  await pool.close();
}

async function startServer(listener: RequestListener, closing: (() => unknown)[]): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function toCall(userId: string) {
  const body = JSON.stringify({
    fullMethod: '/zitadel.session.v2.SessionService/CreateSession',
    request: { checks: { user: { userId }, password: { password: 'Old-Secret-1' } } },
  });
  const headers = {
    'content-type': 'application/json',
    [signatureHeader]: signBody(body, key, Date.now() / 1000),
  };
  return { method: 'POST', path: '/', headers, body } as const;
}

/** Milliseconds of each call, from the moment at which it was due. */
interface Latencies {
  readonly all: number[];
  readonly first: number[];
}

/** `from` is the number of the first user who logs in for the first time. */
async function sendPaced(url: string, count: number, from: number): Promise<Latencies> {
  const pool = new Pool(url, { connections: 100 });
  const latencies: Latencies = { all: [], first: [] };
  const calls: Promise<void>[] = [];
  const send = async (call: ReturnType<typeof toCall>, due: number, isFirst: boolean): Promise<void> => {
    const { body } = await pool.request(call);
    await body.text();
    const took = performance.now() - due;
    latencies.all.push(took);
    if (isFirst) latencies.first.push(took);
  };
  const begin = performance.now();
  for (let n = 0; n < count; n++) {
    const due = begin + (n * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const isFirst = n % firstEvery === 0;
    const call = toCall(isFirst ? `new-${from + n / firstEvery}` : `old-${n % migrated}`);
    calls.push(send(call, due, isFirst));
  }
  await Promise.all(calls);
  await pool.close();
  return latencies;
}

async function measureMemory({ url, pid }: RunningReceiver, count: number): Promise<Row> {
  const pool = new Pool(url, { connections: 32 });
  let sent = 0;
  const sendUntil = async (end: number): Promise<void> => {
    const one = async (): Promise<void> => {
      while (sent < end) {
        const { body } = await pool.request(toCall(`old-${sent++ % migrated}`));
        await body.text();
      }
    };
    await Promise.all(Array.from({ length: 32 }, one));
  };
  const begin = performance.now();
  const marks: string[] = [];
  for (const part of [0.1, 0.25, 0.5, 0.75, 1]) {
    await sendUntil(count * part);
    marks.push(
      `${Math.round(residentBytes(pid) / 1024 / 1024)} MB after ${Math.round(count * part).toLocaleString('en')}`,
    );
  }
  await pool.close();
  const seconds = (performance.now() - begin) / 1000;
  const rate = `${Math.round(count / seconds).toLocaleString('en')} calls/s`;
  return {
    task: `memory, ${count.toLocaleString('en')} logins`,
    who: 'idport',
    seconds,
    rate,
    remark: marks.join(', '),
  };
}

function residentBytes(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)]).stdout.toString()) * 1024;
}

function at(latencies: readonly number[], part: number): number {
  const sorted = latencies.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * part)]!;
}

function describe(latencies: readonly number[]): string {
  const [median, p99, longest] = [0.5, 0.99, 1].map((part) => at(latencies, part).toFixed(1));
  return `median ${median} ms, p99 ${p99} ms, longest ${longest} ms`;
}
