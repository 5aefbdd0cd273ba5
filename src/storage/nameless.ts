/** A folder in, an open file there out that only this process can reach, because its name is removed at once. */
import { randomBytes } from 'node:crypto';
import { openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

export function openNameless(folder: string): number {
  const path = join(folder, `.idport-${randomBytes(8).toString('hex')}.tmp`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
