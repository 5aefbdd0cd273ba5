/** A process that takes a given lock at a given moment, and answers whether it holds it. */
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
