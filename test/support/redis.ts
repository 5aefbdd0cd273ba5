/** A real redis-server or valkey-server, where the system has one. */
import { isInstalled, launchLocalProgram, type LocalProgram, startLocalProgram } from './local-program.ts';

/** Undefined where neither is installed. */
export const redisCommand = ['valkey-server', 'redis-server'].find((name) => isInstalled(name, '--version'));

/** At a free port, or where one has been before. Empty at its start; the test ends it. */
export async function startRedis(at?: number): Promise<LocalProgram> {
  const redis = await startLocalProgram(...startOf(at));
  return { ...redis, port: at ?? redis.port };
}

/** The same outside of a test. */
export const launchRedis = (): Promise<LocalProgram> => launchLocalProgram(...startOf());

const startOf = (at?: number) =>
  [
    redisCommand ?? '',
    (free: number) => ['--port', String(at ?? free), '--bind', '127.0.0.1', '--save', ''],
    /Ready to accept connections/,
  ] as const;
