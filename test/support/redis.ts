/** A real redis-server or valkey-server, where the system has one. */
import { isInstalled, type LocalProgram, startLocalProgram } from './local-program.ts';

/** Undefined where neither is installed. */
export const redisCommand = ['valkey-server', 'redis-server'].find((name) => isInstalled(name, '--version'));

export function startRedis(): Promise<LocalProgram> {
  const args = (port: number): string[] => ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  return startLocalProgram(redisCommand ?? '', args, /Ready to accept connections/);
}
