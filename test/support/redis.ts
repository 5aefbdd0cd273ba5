/** A real redis-server or valkey-server, where the system has one. */
import { isInstalled, type LocalProgram, startLocalProgram } from './local-program.ts';

/** Undefined where neither is installed. */
export const redisCommand = ['valkey-server', 'redis-server'].find((name) => isInstalled(name, '--version'));

/** At a free port, or where one has been before. Empty at its start. */
export async function startRedis(at?: number): Promise<LocalProgram> {
  const args = (free: number): string[] => [
    '--port',
    String(at ?? free),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
  ];
  const redis = await startLocalProgram(redisCommand ?? '', args, /Ready to accept connections/);
  return { ...redis, port: at ?? redis.port };
}
