import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Returns the same path for all names of one file, with links followed. The file need not exist yet. */
export function canonicalPath(name: string, cwd = '.'): string {
  const path = resolve(cwd, name);
  try {
    // Without `native`, `realpathSync` follows /dev/fd/63, a pipe of the shell, to a path that does not exist.
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(canonicalPath(folder), basename(path));
  }
}
