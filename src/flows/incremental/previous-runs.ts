/**
 * Reads the journals of previous runs: which users they imported, with which content, and which are no longer in the source. Checks
 * that no journal of a series is missing, and finds users that were rolled back.
 */
import { formatCounted, formatNames, shellWord } from '../../lib/format.ts';
import { warning } from '../../notice.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import { foldName } from '../../records/text.ts';
import { readSentUsers, stillActive } from '../runs/journal-users.ts';
import { fingerprintLength, keyOf, type PreviousState, withState } from './fingerprint.ts';
import { TextTable } from '../../compact/key-table.ts';
import { RowStore } from '../../compact/row-store.ts';
import { openSpillFile } from '../../storage/spill-file.ts';
import { latest } from '../../lib/clock.ts';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { findJournals, loadJournal, readHeader, State, type States } from '../../journal/load.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { isUndoOf, type JournalOptions } from '../runs/open-journal.ts';

export type PreviousRuns = NonNullable<Awaited<ReturnType<typeof loadPreviousRuns>>>;

/** A user of the source in all runs: the id, else the user name. The other one is empty. */
type Name = readonly [id: string, userName: string];

export interface VanishedUser {
  readonly named: Name;
  readonly userName: string;
  /** Id at the target, if a previous run created the user and the id is known. */
  readonly id: string | undefined;
}

type Named = Pick<AcceptedRecord, 'id' | 'userName'>;

const nameOf = ({ id, userName }: Named): Name => (id === '' ? ['', foldName(userName)] : [id, '']);

/** What a run has left of a user. Without a state, the user no longer exists. */
interface Row {
  readonly named: Name;
  readonly state?: PreviousState | undefined;
}

/**
 * Returns undefined without journals. Later journals win. Takes about 30 bytes a user and run in memory, and a key for each created
 * user; the rest is on disk. Throws `journal:*`, or `UsageError` if the journals do not belong together.
 */
export async function loadPreviousRuns(paths: readonly string[], options: PreviousRunsOptions) {
  if (paths.length === 0) return undefined;
  /** The last row of a user counts. */
  const rows = new RowStore(openSpillFile);
  const read = (row: number) => JSON.parse(rows.text(row)) as Row;
  const rowsOf = (named: Name) => rows.rowsOf(JSON.stringify(named));
  const stateOf = (named: Name) => {
    const row = rowsOf(named).at(-1);
    return row === undefined ? undefined : read(row).state;
  };
  let users = 0;
  /** Ids at the target, also of users whom a run has deleted since. */
  const created = new TextTable();
  const set = (named: Name, before: PreviousState | undefined, state?: PreviousState) => {
    rows.add(JSON.stringify({ named, state } satisfies Row), JSON.stringify(named));
    users += Number(isCreated(state)) - Number(isCreated(before));
    if (isCreated(state)) created.add(state?.id || named[0]);
  };
  const { journals, keys } = await openPreviousJournals(paths, options);
  for (const journal of journals) {
    for (const { user, done } of journal.left.values()) {
      const before = stateOf(user);
      if (before === undefined) continue;
      if (done === 'deleted') set(user, before);
      // Compare the user with the source again in any case. Without an answer, the user may exist or not.
      else if (done === 'deleting') set(user, before, { ...before, fingerprint: '', older: [''] });
      else set(user, before, { ...before, fingerprint: '', parts: withState(before, 'inactive') });
    }
    for await (const { named, end, isNew, ofOthers, state } of readUsersOf(journal)) {
      const before = stateOf(named);
      if (ofOthers && before === undefined) continue;
      // A run that is not compared with those before it created users, and changed none of theirs.
      const isOther = before !== undefined && before.key !== state.key;
      if (isOther && end !== 'undone' && (end !== 'there' || !isCreated(state))) continue;
      const writtenAt = state.writtenAt ?? (isNew ? undefined : before?.writtenAt);
      if (end === 'undone') set(named, before);
      else if (end === 'there') set(named, before, { ...state, writtenAt });
      else {
        // The request may have been done, in whole or in part, so the user is sent again in any case.
        const older = before === undefined ? [''] : [...before.older, before.parts];
        const { parts } = state;
        set(named, before, { ...(before ?? state), writtenAt, fingerprint: '', parts, older });
      }
    }
  }
  /** By the first row of a user. */
  const seen = new Uint8Array(rows.size);

  return {
    /** Keys of the journals' fingerprints. */
    keys,
    /** Number of users that the runs created and no rollback deleted. */
    users,
    /** When the runs last wrote users, on the clock that stamps users. Undefined if no answer said it. */
    lastWrite: latest(journals.map(({ lastWrite }) => lastWrite)),
    find: (user: Named) => stateOf(nameOf(user)),
    /** Reports whether the runs created the user with this id at the target. */
    hasCreated: (id: string) => created.find(id) !== -1,
    /** Records that the user is in the source of this run, too. */
    see(user: Named) {
      const [first] = rowsOf(nameOf(user));
      if (first !== undefined) seen[first] = 1;
    },
    /** Yields each imported user that was not seen. */
    *vanished() {
      for (let row = 0; row < rows.size; row++) {
        const { named } = read(row);
        const state = rowsOf(named)[0] === row && seen[row] === 0 ? stateOf(named) : undefined;
        if (state === undefined) continue;
        const id = state.id || named[0];
        yield { named, userName: state.userName, id: isCreated(state) && id !== '' ? id : undefined };
      }
    },
    close: () => rows.close(),
  };
}

const isCreated = (state: PreviousState | undefined) => state?.createdSince !== undefined;

/** Yields each user that was created, existed before, or was refused, with what the run left of it. */
async function* readUsersOf({ path, header, isUndone, active }: PreviousJournal) {
  const key = keyOf(header) ?? '';
  for await (const sent of readSentUsers({ path, header })) {
    const { entry, fingerprint: all, at, end, newId = '', writtenAt } = sent;
    const [fingerprint, parts] = [all.slice(0, fingerprintLength), all.slice(fingerprintLength)];
    const nothing: PreviousState = { key, fingerprint, parts, older: [], id: '', userName: sent.userName };
    const known = { ...nothing, id: newId, createdSince: at, writtenAt };
    const user = {
      named: nameOf(sent),
      /** The user was created anew, or may have been, so what was written before is gone. */
      isNew: end === 'created' || (end === 'open' && header.verb === 'import'),
      /** The run did not create the user. Without a previous run that did, or if that one was rolled back, there is no user. */
      ofOthers: end === 'failed' || end === 'changed',
    };
    if (end === 'failed') yield { ...user, end, state: nothing };
    else if (end === 'existed') yield { ...user, end: 'there', state: nothing } as const;
    // Includes users of requests without an answer whom the undo found.
    else if (isUndone(entry)) yield { ...user, end: 'undone', state: known } as const;
    else {
      const isOpen = end === 'open' || active.has(entry);
      yield { ...user, end: isOpen ? 'open' : 'there', state: known } as const;
    }
  }
}

const shownVanished = 1000;

/**
 * Returns no notice if every user of the previous runs is still in the source. `end` says what was done with the missing users.
 */
export async function describeVanished(previous: PreviousRuns | undefined, end = 'They stay at the target.') {
  const first: string[] = [];
  let all = 0;
  for (const { named, userName } of previous?.vanished() ?? []) {
    all += 1;
    if (first.length < shownVanished) first.push(`${named[0]} ${userName}`.trim());
  }
  if (all === 0) return [];
  const text = `${formatCounted(all, 'user')} of the previous run ${all === 1 ? 'is' : 'are'} no longer in the source, or left out now: ${formatNames(first, shownVanished, all)}. ${end}`;
  return [warning('delta:vanished', text)];
}

/** What the journals must be about. */
interface PreviousRunsOptions {
  readonly verb: 'import' | 'import-users';
  readonly url: string;
  readonly orgs: readonly string[];
  /** Journal of the run that starts or is resumed, which is not a previous one. */
  readonly journal: Pick<JournalOptions, 'path' | 'resume'>;
}

type PreviousJournal = Awaited<ReturnType<typeof openPreviousJournal>>;

async function openPreviousJournal(path: string, header: JournalHeader, mayBe: (name: string) => boolean) {
  const loaded = await loadJournal(path);
  return {
    path,
    header,
    /** Reports whether `undo` has deleted the user that this entry created. */
    isUndone: await readUndone(path, header, mayBe),
    /** Users who may have been created and are not yet deactivated or locked. */
    active: new Set(stillActive(loaded)),
    /** Users of runs before it whom it deactivated or deleted. */
    left: loaded.left,
    lastWrite: loaded.writes?.last,
  };
}

/** Throws `journal:*`, or `UsageError` for a journal of another kind of run, or if one of a series is missing. */
async function openPreviousJournals(paths: readonly string[], options: PreviousRunsOptions) {
  const journals: PreviousJournal[] = [];
  const mayBe = nameTest(paths);
  for (const [path, header] of await withFollowed(paths)) {
    check(path, header, options);
    journals.push(await openPreviousJournal(path, header, mayBe));
  }
  const keys = new Set(journals.flatMap(({ header }) => keyOf(header) ?? []));
  await refuseMissing(journals, keys, options, mayBe);
  return { journals, keys: [...keys] };
}

/** Returns the headers by path, the oldest first, with the journals that they follow and that have the same fingerprints. */
async function withFollowed(paths: readonly string[]) {
  const all = new Map<string, JournalHeader>();
  for (const path of paths) {
    if (!existsSync(path)) throw noJournal(path, 'there is no such file');
    // A file of one line without a line feed would look like a truncated journal, and every user would be new.
    const header = await readHeader(path);
    if (header === undefined) throw noJournal(path, 'it is not a journal of idport');
    for (const name of header.follows ?? []) {
      const before = join(dirname(path), name);
      const followed = existsSync(before) ? await readHeader(before) : undefined;
      if (followed !== undefined && keyOf(followed) === keyOf(header)) all.set(before, followed);
    }
    all.set(path, header);
  }
  // Two estimates of the service's clock differ by up to a second: within two, the order of the flags counts.
  return [...all].sort(([, one], [, other]) => Math.trunc((one.startedAt - other.startedAt) / 2000));
}

/** Tests names of files: journals and undo journals are named like this, unless someone renamed them. */
function nameTest(paths: readonly string[]): (name: string) => boolean {
  const bases = paths.map((path) => basename(path).replace(/\.\d+$/, ''));
  return (name) => name.includes('journal') || bases.some((base) => name.startsWith(base));
}

/** Finds the rollbacks of a run. Their journals stay in its folder, even if its own journal was renamed. */
async function readUndone(path: string, header: JournalHeader, mayBe: (name: string) => boolean) {
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
  return (entry: number) => loaded.some((states) => states.get(entry) === State.created);
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
  const given = new Set(journals.map(({ header }) => runOf(header)));
  const folders = new Set([...journals.map(({ path }) => dirname(path)), dirname(journal.path)]);
  for (const folder of folders) {
    for (const { path, header } of await findJournals(folder, refuse, mayBe)) {
      const belongs = header.verb === verb && keys.has(keyOf(header) ?? '');
      // The run to be resumed is no previous one. A finished run is, unless it is resumed by name.
      const isToResume =
        resolve(path) === resolve(journal.path) && (journal.resume || !(await loadJournal(path)).finished);
      if (!belongs || given.has(runOf(header)) || isToResume) continue;
      throw new UsageError(
        `--since-journal: ${path} is of another run over the same users, and is missing`,
        'Pass --since-journal once for each run: without one of them it is unknown who is there.',
      );
    }
  }
}

/** An unreadable journal may be one of the series, or its rollback. */
const refuse = (problem: Error) => {
  throw problem;
};

const runOf = ({ startedAt, input }: JournalHeader) => `${startedAt} ${input.sha256}`;

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
      // Only a bulk import accepts some users.
      verb === 'import'
        ? `Leave it out, and pass --rejects=<file>. Then update the users of that file: idport import <file> --since-journal=${shellWord(path)}`
        : undefined,
    );
  }
  if (url !== expected.url) {
    throw new UsageError(`--since-journal ${path}: it is about ${url}, not ${expected.url}`);
  }
  // A trial without users to be sent has no organization.
  if (orgs.length > 0 && !expected.orgs.some((org) => orgs.includes(org))) {
    throw new UsageError(
      `--since-journal ${path}: it is about organization ${orgs.join(', ')}, not ${expected.orgs.join(', ')}`,
    );
  }
}
