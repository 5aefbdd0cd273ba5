/** Journals of one process, which lock themselves. */
import * as own from '../../src/journal/journal.ts';
import type { JournalHeader } from '../../src/journal/lines.ts';
import { loadJournal } from '../../src/journal/load.ts';

export const header: JournalHeader = {
  verb: 'import',
  input: { names: ['importBody.json'], bytes: 1234, sha256: 'abc' },
  url: 'https://id.example',
  orgs: ['42'],
  plan: [
    ['humanUsers', 100],
    ['userMetadata', 20],
  ],
  settings: { route: 'inline' },
  startedAt: 0,
};

export function createJournal(path: string, header: JournalHeader) {
  const lock = own.lockJournal(path);
  try {
    return own.createJournal(path, header, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

export async function resumeJournal(path: string, header: JournalHeader, lock = own.lockJournal(path)) {
  try {
    return own.resumeJournal(await loadJournal(path), header, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}
