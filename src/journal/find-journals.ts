/** Finds the journals in a folder by how they begin, whatever they are called. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { format } from './lines.ts';
import type { JournalHeader } from './lines.ts';
import { readLines } from './load.ts';

export interface FoundJournal {
  readonly path: string;
  readonly header: JournalHeader;
}

/** Opens only files whose name `mayBe` accepts: a folder can have as many files as an export has users. */
export async function findJournals(
  folder: string,
  mayBe: (name: string) => boolean,
): Promise<FoundJournal[]> {
  const found: FoundJournal[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const header = mayBe(name) && beginsAsJournal(path) ? await readHeader(path) : undefined;
    if (header !== undefined) found.push({ path, header });
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

const beginning = `{"format":"${format}"`;

/** Before a line is read: other files may have one of a gigabyte. */
function beginsAsJournal(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const bytes = Buffer.alloc(beginning.length);
  try {
    const file = openSync(path, 'r');
    try {
      return readSync(file, bytes) === bytes.length && bytes.toString() === beginning;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** Undefined for a journal of another version, or whose first line is cut off. */
async function readHeader(path: string): Promise<JournalHeader | undefined> {
  try {
    for await (const { line } of readLines(path)) return line.kind === 'header' ? line.header : undefined;
  } catch {
    return undefined;
  }
  return undefined;
}
