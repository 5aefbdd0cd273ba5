/**
 * `npm run shards`: four processes import one body through a real Redis or Valkey, one of them is killed and resumed.
 * In real time: over 60 seconds the rate is kept to 1 % and never exceeded in any second, and no user is lost or doubled.
 * Exit code 1 where that is not so.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlPrefix } from '../../src/server/limits/gate.ts';
import { play, type Scene } from '../chaos/scene.ts';
import { humansIn } from '../chaos/users.ts';
import { endAt, type ProcessOptions } from '../support/process.ts';
import { launchRedis, redisCommand } from '../support/local-program.ts';
import { tell } from '../support/tell.ts';
import { bodyOf, userNames } from '../support/users-run.ts';

const perSecond = 45;
const users = 3300;
const shards = 4;
/** Of the measurement, in seconds after the first request; within it, one process dies and comes back. */
const span = { from: 5, seconds: 60, killAt: 20, resumeAt: 28 };

/** When the server got each request that its rate counts: the question whether it is `idport serve` is none. */
const times: number[] = [];
subscribe('http.server.request.start', (message) => {
  const { url } = (message as { request: IncomingMessage }).request;
  if (!url!.startsWith(controlPrefix)) times.push(performance.now());
});

if (redisCommand === undefined) console.log('SKIPPED  neither redis-server nor valkey-server is installed');
else await run();

async function run() {
  const redis = await launchRedis();
  const troubles = await play(async (scene) => {
    const { path, instance } = scene;
    writeFileSync(path('body.json'), bodyOf('100', userNames(users)));
    await importAll(scene, [`--rate=${perSecond}/s`, `--rate-store=redis://127.0.0.1:${redis.port}`]);
    checkRate();
    const succeeds = async (what: string, ...argv: string[]) => {
      const { exitCode, stderr } = await scene.run(argv);
      tell(what, exitCode === 0, stderr);
    };
    const connection = [...instance.flags, '--rate=unlimited'];
    const files = ['body.json.users.journal', 'body.json.ids.csv', 'report.json'];
    await succeeds('the files of the shards join', 'merge', ...files);
    const verify = ['verify', 'body.json', '--id-map=body.json.ids.csv'];
    await succeeds('verify finds all of them the same', ...verify, ...connection);
    const there = new Set(humansIn(instance.server).map(({ userName }) => userName));
    tell(`${there.size} of ${users} users are there, each once`, there.size === users);
    const read = (name: string) => readFileSync(path(name), 'utf8');
    tell('the id map has every user once', read('body.json.ids.csv').split('\n').length === users + 2);
    tell('the report counts every user', JSON.parse(read('report.json')).summary.read === users);
    const undo = ['undo', '--journal=body.json.users.journal', `--yes=${users}`];
    await succeeds('undo of the joined journal deletes all of them', ...undo, ...connection);
  });
  await redis.kill();
  tell('nothing else went wrong', troubles.length === 0, ...troubles);
}

async function importAll({ run, instance }: Scene, flags: readonly string[]) {
  const all = ['import-users', 'body.json', '--org=100', '--report=report.json', ...instance.flags, ...flags];
  const start = (shard: number, more: readonly string[] = [], options?: Omit<ProcessOptions, 'cwd'>) =>
    run([...all, `--shard=${shard}/${shards}`, ...more], options);
  const killed = start(1, [], { meanwhile: endAt({ signal: 'SIGKILL', after: span.killAt * 1000 }) });
  const others = Array.from({ length: shards - 1 }, (_, at) => start(at + 2));
  await sleep(span.resumeAt * 1000);
  tell('a process was killed', (await killed).signal === 'SIGKILL');
  const ended = await Promise.all([...others, start(1, ['--resume'])]);
  const bad = ended.find(({ exitCode }) => exitCode !== 0);
  if (bad !== undefined) throw new Error(`a process ended with ${bad.exitCode}: ${bad.stderr}`);
}

function checkRate() {
  const countIn = (from: number, seconds: number) =>
    times.filter((at) => at >= from && at < from + seconds * 1000).length;
  const count = countIn(times[0]! + span.from * 1000, span.seconds);
  const share = (100 * count) / (perSecond * span.seconds);
  const most = Math.max(...times.map((at) => countIn(at, 1)));
  tell(
    `${count} requests in ${span.seconds} seconds: ${share.toFixed(2)} % of the rate`,
    share >= 99 && share <= 100,
  );
  tell(`at most ${most} in any second, ${perSecond} are allowed`, most <= perSecond);
}
