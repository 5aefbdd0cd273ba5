/**
 * Finds the journals in a folder by how they begin, whatever their names are, and when the run of a journal last wrote to the
 * target.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeLine, format, type AttemptOutcome, type JournalHeader } from './lines.ts';
import { readHeader } from './load.ts';
import { latest } from '../lib/clock.ts';

export interface FoundJournal {
  readonly path: string;
  readonly header: JournalHeader;
}

/** The service's `Date` header has whole seconds. */
export const clockStep = 1000;

/**
 * Returns the journals in the order in which their runs began; runs of the same second in the order of their last write. Opens
 * only files whose name `mayBe` accepts, since a folder can have as many files as an export has users. `onUnreadable` is called
 * for a journal of another version or with a damaged first line. If that line is cut off, the run has sent nothing.
 */
export async function findJournals(
  folder: string,
  onUnreadable: (problem: Error, path: string) => undefined,
  mayBe: (name: string) => boolean = (name) => !name.endsWith('.lock'),
) {
  const found: FoundJournal[] = [];
  for (const path of namesIn(folder)
    .filter(mayBe)
    .map((name) => join(folder, name))) {
    if (!beginsAsJournal(path)) continue;
    const header = await readHeader(path).catch((problem: Error) => onUnreadable(problem, path));
    if (header !== undefined) found.push({ path, header });
  }
  const lastWrite = ({ path }: FoundJournal) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const second = ({ header }: FoundJournal) => Math.floor(header.startedAt / clockStep);
  return found.toSorted((a, b) => second(a) - second(b) || lastWrite(a) - lastWrite(b));
}

function namesIn(folder: string) {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

const beginning = `{"format":"${format}"`;

/** Checks the beginning before a line is read, because other files may have a line of a gigabyte. */
export function beginsAsJournal(path: string) {
  const bytes = Buffer.alloc(beginning.length);
  try {
    // Opening a pipe would wait for its writer.
    if (!statSync(path).isFile()) return false;
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

/** Enough for the last outcomes, each of which has a time. */
const tailBytes = 64 * 1024;

/** Returns milliseconds on the clock that stamps users, or undefined if no outcome has a time. */
export function readLastWrite(path: string, counts: (outcome: AttemptOutcome) => boolean) {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .map((text) => decodeLine(text));
    return latest(
      lines.map((line) =>
        line?.kind === 'outcome' && counts(line.outcome) ? line.outcome.writtenAt : undefined,
      ),
    );
  } finally {
    closeSync(file);
  }
}
