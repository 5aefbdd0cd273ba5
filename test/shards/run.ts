/**
 * `npm run shards`: four processes import one body through a real Redis or Valkey, one of them is killed and resumed.
 * In real time: over 60 seconds the rate is kept to 1 % and never exceeded in any second, and no user is lost or doubled.
 * Exit code 1 where that is not so.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { createReferenceServer } from '../../src/server/index.ts';
import { type ProcessResult, runProcess } from '../support/process.ts';
import { launchRedis, redisCommand } from '../support/local-program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const perSecond = 45;
const users = 3300;
const shards = 4;
/** Of the measurement, in seconds after the first request; within it, one process dies and comes back. */
const span = { from: 5, seconds: 60, killAt: 20, resumeAt: 28 };
const killed = 2;

if (redisCommand === undefined) console.log('SKIPPED  neither redis-server nor valkey-server is installed');
else process.exitCode = (await run()) ? 0 : 1;

async function run() {
  const cwd = mkdtempSync(join(tmpdir(), 'idport-shards-'));
  const redis = await launchRedis();
  const target = createReferenceServer({ profile: 'all-verifiers', rate: null, orgId: '100' });
  const times: number[] = [];
  const answer = getRequestListener((request) => target.app.fetch(request));
  const server = createServer((request, response) => {
    times.push(performance.now());
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    writeFileSync(join(cwd, 'token'), target.tokens.iamOwner, { mode: 0o600 });
    const numbers = Array.from({ length: users }, (_, at) => at);
    writeFileSync(
      join(cwd, 'body.json'),
      bodyOf(
        '100',
        numbers.map((at) => sampleUser(`user-${at}`)),
      ),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connection = ['--url', url, '--token-file', 'token'];
    const idport = (...argv: string[]) => runProcess(argv, { cwd });
    await importAll(cwd, [
      ...connection,
      `--rate=${perSecond}/s`,
      `--rate-store=redis://127.0.0.1:${redis.port}`,
    ]);
    const rates = checkRate(times);
    const merged = await idport('merge', 'body.json.users.journal', 'body.json.ids.csv', 'report.json');
    const verified = await idport(
      'verify',
      'body.json',
      '--id-map=body.json.ids.csv',
      ...connection,
      '--rate=unlimited',
    );
    const there = [...target.state.store.users.values()].filter(({ kind }) => kind === 'human');
    const names = new Set(there.map(({ userName }) => userName).filter((name) => name.startsWith('user-')));
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
    const undone = await idport(
      'undo',
      '--journal=body.json.users.journal',
      `--yes=${users}`,
      ...connection,
      '--rate=unlimited',
    );
    return [
      ...rates,
      tell(names.size === users, `${names.size} of ${users} users are there, each once`),
      tell(merged.exitCode === 0, 'the files of the shards join', merged),
      tell(read('body.json.ids.csv').split('\n').length === users + 2, 'the id map has every user once'),
      tell(JSON.parse(read('report.json')).summary.read === users, 'the report counts every user'),
      tell(verified.exitCode === 0, 'verify finds all of them the same', verified),
      tell(undone.exitCode === 0, 'undo of the joined journal deletes all of them', undone),
    ].every(Boolean);
  } finally {
    await redis.kill();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await target.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function importAll(cwd: string, flags: readonly string[]) {
  const start = (shard: number, meanwhile: (child: ChildProcess) => void, ...more: string[]) =>
    runProcess(
      [
        'import-users',
        'body.json',
        '--org=100',
        '--report=report.json',
        `--shard=${shard}/${shards}`,
        ...flags,
        ...more,
      ],
      { cwd, meanwhile },
    );
  let victim: ChildProcess | undefined;
  const running = Array.from({ length: shards }, (_, at) =>
    start(at + 1, (child) => {
      if (at + 1 === killed) victim = child;
    }),
  );
  await sleep(span.killAt * 1000);
  victim?.kill('SIGKILL');
  await sleep((span.resumeAt - span.killAt) * 1000);
  running.push(start(killed, () => undefined, '--resume'));
  const ended = await Promise.all(running);
  const bad = ended.find(({ exitCode }, at) => exitCode !== 0 && at !== killed - 1);
  if (bad !== undefined) throw new Error(`a process ended with ${bad.exitCode}: ${bad.stderr}`);
}

function checkRate(times: readonly number[]) {
  const from = times[0]! + span.from * 1000;
  const count = times.filter((at) => at >= from && at < from + span.seconds * 1000).length;
  const share = (100 * count) / (perSecond * span.seconds);
  const most = Math.max(...times.map((at, first) => countUntil(times, first, at + 1000)));
  return [
    tell(
      share >= 99 && share <= 100,
      `${count} requests in ${span.seconds} seconds: ${share.toFixed(2)} % of the rate`,
    ),
    tell(most <= perSecond, `at most ${most} in any second, ${perSecond} are allowed`),
  ];
}

function countUntil(times: readonly number[], first: number, end: number) {
  let next = first;
  while (next < times.length && times[next]! < end) next += 1;
  return next - first;
}

function tell(isWell: boolean, what: string, result?: ProcessResult) {
  console.log(`${isWell ? 'ok      ' : 'TROUBLE '} ${what}`);
  if (!isWell && result !== undefined) console.log(result.stderr);
  return isWell;
}
