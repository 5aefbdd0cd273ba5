/** Lists the entries of a folder. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inputProblem } from './file-problem.ts';

export interface FolderEntry {
  readonly name: string;
  /** Path of the folder as given, followed by the name. */
  readonly path: string;
  /** `lost` is a link that leads nowhere or in a circle. */
  readonly kind: 'file' | 'folder' | 'lost' | 'other';
}

/**
 * Returns the entries of a folder sorted by name, with numbers compared by value (`users-2` before `users-10`). Follows symbolic
 * links.
 */
export function listFolder(path: string): FolderEntry[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .map((entry) => {
        const full = join(path, entry.name);
        if (entry.isFile()) return { name: entry.name, path: full, kind: 'file' as const };
        if (entry.isDirectory()) return { name: entry.name, path: full, kind: 'folder' as const };
        return { name: entry.name, path: full, kind: entry.isSymbolicLink() ? kindOf(full) : 'other' };
      })
      .sort((a, b) => (sortKey(a.name) < sortKey(b.name) ? -1 : 1));
  } catch (error) {
    throw inputProblem(path, error, path);
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Avoids a collator of Intl, which takes 10 ms to load. */
function sortKey(name: string) {
  return `${name.toLowerCase().replaceAll(/[0-9]+/g, (digits) => digits.padStart(20, '0'))} ${name}`;
}

function kindOf(path: string): FolderEntry['kind'] {
  try {
    const found = statSync(path);
    if (found.isFile()) return 'file';
    return found.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'lost';
  }
}
