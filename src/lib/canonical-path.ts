import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The same path for all names of one file, links followed; also for a file that does not exist yet. */
export function canonicalPath(name: string, cwd = '.'): string {
  const path = resolve(cwd, name);
  try {
    // The other one follows /dev/fd/63, a pipe of the shell, to a path that is none.
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(canonicalPath(folder), basename(path));
  }
}
