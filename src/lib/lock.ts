/** Lock files, so that only one process uses a file. A lock that a killed process has left behind is replaced. */
import * as fs from 'node:fs';

/** Locks that this process holds, by path. */
const held = new Set<string>();

export type LockAttempt =
  | { readonly taken: true; release(): void }
  /** The process that holds it. */
  | { readonly taken: false; readonly owner: number };

/** Creates a file at `path` with the id of this process. Throws the errors of the file system. */
export function takeLock(path: string): LockAttempt {
  for (;;) {
    if (create(path)) {
      held.add(path);
      return {
        taken: true,
        release: () => {
          held.delete(path);
          fs.rmSync(path, { force: true });
        },
      };
    }
    const owner = Number.parseInt(readOwner(path), 10);
    if (held.has(path) || isRunning(owner)) return { taken: false, owner };
    fs.rmSync(path, { force: true });
  }
}

function create(path: string): boolean {
  try {
    fs.writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

function readOwner(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Whether another process of this machine has this id. The id of this process, in a file that it did not write, is that
 * of an earlier process, as in a container that was restarted.
 */
export function isRunning(owner: number): boolean {
  if (!Number.isInteger(owner) || owner <= 0 || owner === process.pid) return false;
  try {
    process.kill(owner, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
