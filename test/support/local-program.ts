/** Starts programs of the system at a free port: slapd, redis-server or valkey-server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export function isInstalled(command: string, versionFlag: string) {
  return spawnSync(command, [versionFlag], { stdio: 'ignore' }).error === undefined;
}

/** A free port may be taken by another process before the program has it; so the next one is tried. */
const mostTries = 5;

export interface LocalProgram {
  readonly port: number;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

type Start = readonly [command: string, args: (port: number) => readonly string[], ready: RegExp];

/** Resolves when its output says that it is `ready`; the test ends it. */
export async function startLocalProgram(...start: Start) {
  const program = await launchLocalProgram(...start);
  onTestFinished(() => program.kill());
  return program;
}

/** The same outside of a test: the caller ends it. */
export async function launchLocalProgram(...[command, args, ready]: Start): Promise<LocalProgram> {
  let said = '';
  for (let tries = 0; tries < mostTries; tries++) {
    const port = await findFreePort();
    const child = spawn(command, args(port), { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    said = '';
    const isReady = await new Promise<boolean>((resolve) => {
      const hear = (block: Buffer) => {
        said += block.toString();
        if (ready.test(said)) resolve(true);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      void ended.then(() => resolve(false));
    });
    if (!isReady) continue;
    return { port, kill: () => end(child, ended) };
  }
  throw new Error(`${command} does not start: ${said}`);
}

function end(child: ChildProcess, ended: Promise<void>) {
  child.kill('SIGKILL');
  return ended;
}

async function findFreePort() {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<unknown>((resolve) => probe.close(resolve));
  return port;
}

/** Undefined where neither is installed. */
export const redisCommand = ['valkey-server', 'redis-server'].find((name) => isInstalled(name, '--version'));

/** At a free port, or where one has been before. Empty at its start; the test ends it. */
export async function startRedis(at?: number): Promise<LocalProgram> {
  const redis = await startLocalProgram(...startOf(at));
  return { ...redis, port: at ?? redis.port };
}

/** The same outside of a test. */
export const launchRedis = () => launchLocalProgram(...startOf());

const startOf = (at?: number) =>
  [
    redisCommand ?? '',
    (free: number) => ['--port', String(at ?? free), '--bind', '127.0.0.1', '--save', ''],
    /Ready to accept connections/,
  ] as const;
