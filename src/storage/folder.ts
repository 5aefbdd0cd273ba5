/** Lists the entries of a folder. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inputProblem } from './input-problem.ts';

export interface FolderEntry {
  readonly name: string;
  /** The path of the folder as given, followed by the name. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/**
 * The entries of a folder sorted by name, with numbers compared by value (`users-2` before `users-10`). Symbolic links
 * are followed.
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
      .sort((a, b) => byName.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw inputProblem(path, error, path);
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const byName = new Intl.Collator('en', { numeric: true });

function kindOf(path: string): FolderEntry['kind'] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return 'file';
  return found?.isDirectory() === true ? 'folder' : 'other';
}
