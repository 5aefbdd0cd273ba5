/** A folder in, the right to work on it alone out. */
import { join } from 'node:path';
import { IdportError } from '../../errors.ts';
import { takeLock as takeLockAt } from '../../lib/lock.ts';

/** Returns what gives the folder free again. Throws an IdportError `data:locked`. */
export function takeLock(folder: string): () => void {
  const path = join(folder, 'lock');
  const attempt = takeLockAt(path);
  if (attempt.taken) return () => attempt.release();
  throw new IdportError('data:locked', `${folder}: another server (process ${attempt.owner}) works on it`, {
    hint: `Stop that one, or give each server a folder of its own. If no such server runs, remove ${path}.`,
  });
}
