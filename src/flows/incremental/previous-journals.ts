/** Opens the journals of previous runs. Checks that none of a series is missing, and finds users that were rolled back. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { findJournals } from '../../journal/find-journals.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { loadJournal, type JournalProgress, readHeader, State, type States } from '../../journal/load.ts';
import { shellWord } from '../../lib/format.ts';
import { isUndoOf } from '../runs/open-journal.ts';
import { stillActive } from '../runs/journal-users.ts';
import { keyOf } from './fingerprint.ts';

/** What the journals must be about. */
export interface PreviousRunsOptions {
  readonly verb: 'import' | 'import-users';
  readonly url: string;
  readonly orgs: readonly string[];
  /** Journal of the run that starts or is resumed, which is not a previous one. */
  readonly journal: string;
}

export interface PreviousJournal {
  /** Changes if the run that follows renames this journal. */
  path: string;
  readonly header: JournalHeader;
  /** Reports whether `undo` has deleted the user that this entry created. */
  readonly isUndone: (entry: number) => boolean;
  /** Users who may have been created and are not yet deactivated or locked. */
  readonly active: ReadonlySet<number>;
  /** Users of runs before it whom it deactivated or deleted. */
  readonly left: JournalProgress['left'];
}

/** Throws `journal:*`, or `UsageError` for a journal of another kind of run, or if one of a series is missing. */
export async function openPreviousJournals(paths: readonly string[], options: PreviousRunsOptions) {
  const journals: PreviousJournal[] = [];
  const mayBe = nameTest(paths);
  for (const path of await withFollowed(paths)) {
    const header = await readFirstLine(path);
    check(path, header, options);
    const loaded = await loadJournal(path);
    const active = new Set(stillActive(loaded));
    const isUndone = await readUndone(path, header, mayBe);
    journals.push({ path, header, isUndone, active, left: loaded.left });
  }
  const keys = new Set(journals.flatMap(({ header }) => keyOf(header) ?? []));
  await refuseMissing(journals, keys, options, mayBe);
  return {
    journals,
    /** Keys of the journals' fingerprints. */
    keys: [...keys],
  };
}

/** Returns the paths, each after the journals that it follows and that have the same fingerprints. */
async function withFollowed(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for (const path of paths) {
    const header = await readFirstLine(path);
    for (const name of header.follows ?? []) {
      const before = join(dirname(path), name);
      const followed = existsSync(before) ? await readHeader(before) : undefined;
      if (followed !== undefined && keyOf(followed) === keyOf(header)) all.add(before);
    }
    all.add(path);
  }
  return all;
}

/** Tests names of files: journals and undo journals are named like this, unless someone renamed them. */
function nameTest(paths: readonly string[]): (name: string) => boolean {
  const bases = paths.map((path) => basename(path).replace(/\.\d+$/, ''));
  return (name) => name.includes('journal') || bases.some((base) => name.startsWith(base));
}

/** Reads the header. A file of one line without a line feed would look like a truncated journal, and every user would be new. */
async function readFirstLine(path: string) {
  if (!existsSync(path)) throw noJournal(path, 'there is no such file');
  const header = await readHeader(path);
  if (header === undefined) throw noJournal(path, 'it is not a journal of idport');
  return header;
}

/** Finds the rollbacks of a run. Their journals stay in its folder, even if its own journal was renamed. */
async function readUndone(
  path: string,
  header: JournalHeader,
  mayBe: (name: string) => boolean,
): Promise<PreviousJournal['isUndone']> {
  const found = await findJournals(dirname(path), refuse, mayBe);
  const undos = found.filter((one) => isUndoOf(one.header, header));
  const loaded: States[] = [];
  for (const undo of undos) {
    const { finished, states } = await loadJournal(undo.path);
    if (!finished) {
      throw new UsageError(
        `--since-journal ${path}: its rollback was started and is not finished`,
        `Finish it first: idport undo --journal=${shellWord(path)} --resume`,
      );
    }
    loaded.push(states);
  }
  return (entry) => loaded.some((states) => states.get(entry) === State.created);
}

/**
 * Throws if a journal of the same users is missing. A user that a run replaced is not as the runs before it say, and does not
 * exist at all if that run was undone.
 */
async function refuseMissing(
  journals: readonly PreviousJournal[],
  keys: ReadonlySet<string>,
  { verb, journal }: PreviousRunsOptions,
  mayBe: (name: string) => boolean,
) {
  const given = new Set(journals.map(({ header }) => nameOf(header)));
  const folders = new Set([...journals.map(({ path }) => dirname(path)), dirname(journal)]);
  for (const folder of folders) {
    for (const { path, header } of await findJournals(folder, refuse, mayBe)) {
      const belongs = header.verb === verb && keys.has(keyOf(header) ?? '');
      if (!belongs || given.has(nameOf(header)) || (await isToResume(path, journal))) continue;
      throw new UsageError(
        `--since-journal: ${path} is of another run over the same users, and is missing`,
        'Give --since-journal once for each run, the oldest first: without one of them it is unknown who is there.',
      );
    }
  }
}

/** An unreadable journal may be one of the series, or its rollback. */
const refuse = (problem: Error) => {
  throw problem;
};

const nameOf = ({ startedAt, input }: JournalHeader) => `${startedAt} ${input.sha256}`;

/** Reports whether the run is the one to be resumed, which is not a previous one. A finished run is. */
async function isToResume(path: string, journal: string) {
  return resolve(path) === resolve(journal) && !(await loadJournal(path)).finished;
}

function noJournal(path: string, why: string) {
  return new UsageError(
    `--since-journal ${path}: ${why}`,
    'Give the journal of the first run; it is beside the file that was imported (<body>.users.journal or <body>.journal).',
  );
}

function check(path: string, { verb, url, orgs }: JournalHeader, expected: PreviousRunsOptions) {
  if (verb !== expected.verb) {
    throw new UsageError(
      `--since-journal ${path}: it is of idport ${verb}, not of ${expected.verb}`,
      verb === 'import' ? afterBulk(path) : undefined,
    );
  }
  if (url !== expected.url) {
    throw new UsageError(`--since-journal ${path}: it is about ${url}, not ${expected.url}`);
  }
  if (!expected.orgs.some((org) => orgs.includes(org))) {
    throw new UsageError(
      `--since-journal ${path}: it is about organization ${orgs.join(', ')}, not ${expected.orgs.join(', ')}`,
    );
  }
}

/** Hint for users whom only a bulk import accepts. */
const afterBulk = (path: string) =>
  `Leave it out, and give --rejects=<file>. Then update the users of that file: idport import <file> --since-journal=${shellWord(path)}`;
