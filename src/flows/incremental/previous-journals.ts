/** Journals of earlier passes in; that they belong together and none is missing, and whom an undo has deleted, out. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { findJournals, type FoundJournal } from '../../journal/find-journals.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { loadJournal, readLines } from '../../journal/load.ts';
import { State, type States } from '../../journal/states.ts';
import { readWay, type FingerprintWay } from './fingerprint.ts';

/** What the journals must be about. */
export interface EarlierRuns {
  readonly verb: 'import' | 'import-users';
  readonly url: string;
  readonly orgs: readonly string[];
  /** Of the run that is about to begin or to go on: it is no earlier one. */
  readonly journal: string;
}

export interface Pass {
  readonly path: string;
  readonly header: JournalHeader;
  /** Whether `undo` has deleted whom this entry had created. */
  readonly isUndone: (entry: number) => boolean;
}

export interface Passes {
  readonly passes: readonly Pass[];
  readonly way: FingerprintWay;
}

/** Throws `journal:*`, or `UsageError` where they do not belong together or one between them is missing. */
export async function openPasses(paths: readonly string[], expect: EarlierRuns): Promise<Passes> {
  const passes: Pass[] = [];
  let way: FingerprintWay | undefined;
  const mayBe = nameTest(paths);
  for (const path of paths) {
    const header = await readFirstLine(path);
    check(path, header, expect, way);
    const own = readWay(header.settings) ?? { key: '', withLists: false };
    way = { key: own.key, withLists: own.withLists && (way?.withLists ?? true) };
    passes.push({ path, header, isUndone: await readUndone(path, header, mayBe) });
  }
  const known = { passes, way: way ?? { key: '', withLists: true } };
  await refuseMissing(known, expect, mayBe);
  return known;
}

/** As journals and what belongs to them are called, unless somebody has called them otherwise. */
function nameTest(paths: readonly string[]): (name: string) => boolean {
  const bases = paths.map((path) => basename(path).replace(/\.\d+$/, ''));
  return (name) => name.includes('journal') || bases.some((base) => name.startsWith(base));
}

/** One line without an end reads like a journal that was cut off; then everybody would be new. */
async function readFirstLine(path: string): Promise<JournalHeader> {
  if (!existsSync(path)) throw noJournal(path, 'there is no such file');
  for await (const { line } of readLines(path)) if (line.kind === 'header') return line.header;
  throw noJournal(path, 'it is no journal of idport');
}

/** The journals of undos stay where the run was, also when its own journal has got another name. */
async function readUndone(
  path: string,
  header: JournalHeader,
  mayBe: (name: string) => boolean,
): Promise<Pass['isUndone']> {
  const undos = (await findJournals(dirname(path), mayBe)).filter((found) => isUndoOf(found, header));
  const loaded: States[] = [];
  for (const undo of undos) {
    const { finished, states } = await loadJournal(undo.path);
    if (!finished) {
      throw new UsageError(`--since-journal ${path}: it is being taken back, and that is not done yet`, {
        hint: `Go on with \`idport undo --resume\` first (${undo.path}).`,
      });
    }
    loaded.push(states);
  }
  return (entry) => loaded.some((states) => states.get(entry) === State.created);
}

function isUndoOf({ header: { verb, url, input, settings } }: FoundJournal, run: JournalHeader): boolean {
  return (
    verb === 'undo' &&
    url === run.url &&
    input.sha256 === run.input.sha256 &&
    settings['startedAt'] === String(run.startedAt)
  );
}

/**
 * Whoever was replaced by a pass is not as the passes before it say, nor there at all when that pass was taken back.
 */
async function refuseMissing(
  { passes, way }: Passes,
  { verb, journal }: EarlierRuns,
  mayBe: (name: string) => boolean,
): Promise<void> {
  if (way.key === '') return;
  const given = new Set(passes.map(({ header }) => nameOf(header)));
  const folders = new Set([...passes.map(({ path }) => dirname(path)), dirname(journal)]);
  for (const folder of folders) {
    for (const { path, header } of await findJournals(folder, mayBe)) {
      const belongs = header.verb === verb && readWay(header.settings)?.key === way.key;
      if (!belongs || given.has(nameOf(header)) || (await isToGoOn(path, journal))) continue;
      throw new UsageError(
        `--since-journal: ${path} is of another pass over the same people, and is missing`,
        {
          hint: 'Give --since-journal once for each pass, the oldest first: without one of them nobody knows who is there.',
        },
      );
    }
  }
}

const nameOf = ({ startedAt, input }: JournalHeader): string => `${startedAt} ${input.sha256}`;

/** The pass that is gone on with is not an earlier one; one that came to its end is. */
async function isToGoOn(path: string, journal: string): Promise<boolean> {
  return resolve(path) === resolve(journal) && !(await loadJournal(path)).finished;
}

function noJournal(path: string, why: string): UsageError {
  return new UsageError(`--since-journal ${path}: ${why}`, {
    hint: 'Give the journal of the first pass; it stands beside what was imported then (<body>.users.journal or <body>.journal).',
  });
}

function check(
  path: string,
  header: JournalHeader,
  expect: EarlierRuns,
  way: FingerprintWay | undefined,
): void {
  const { verb, url, orgs, settings } = header;
  if (verb !== expect.verb) {
    throw new UsageError(`--since-journal ${path}: it is of idport ${verb}, not of ${expect.verb}`);
  }
  if (url !== expect.url) {
    throw new UsageError(`--since-journal ${path}: it is about ${url}, not ${expect.url}`);
  }
  if (!expect.orgs.some((org) => orgs.includes(org))) {
    throw new UsageError(
      `--since-journal ${path}: it is about organization ${orgs.join(', ')}, not ${expect.orgs.join(', ')}`,
    );
  }
  if (way !== undefined && settings['fingerprints'] !== way.key) {
    throw new UsageError(`--since-journal ${path}: it does not belong to the journals before it`, {
      hint: 'Give the journal of the first run, then those of the runs that followed it with --since-journal.',
    });
  }
}
