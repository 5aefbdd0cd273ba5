/** A process that takes the lock it is told to at the moment it is told, and answers whether it has it. */
import { takeLock, type Lock } from '../../src/lib/lock.ts';

let lock: Lock | undefined;

process.on('message', ({ path, at }: { path?: string; at: number }) => {
  lock?.release();
  lock = undefined;
  if (path === undefined) {
    process.send?.('released');
    return;
  }
  while (Date.now() < at);
  const attempt = takeLock(path);
  if (attempt.taken) lock = attempt.lock;
  process.send?.(attempt.taken);
});
