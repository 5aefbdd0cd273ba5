/**
 * Finds journals in a folder, whatever their names are, and reads them: lines or requests one by one, or how far the run has come. Only
 * requests whose result is unknown are kept in memory.
 */
import { createReadStream, statSync, readdirSync } from 'node:fs';
import { IdportError } from '../errors.ts';
import { DictionaryColumn } from '../compact/columns.ts';
import {
  version,
  versionOf,
  decodeLine,
  schemasOf,
  type Schemas,
  type Left,
  entriesOf,
  type Failure,
  type Intent,
  type JournalHeader,
  type Line,
  type AttemptOutcome,
  format,
} from './lines.ts';
import { join } from 'node:path';
import { latest } from '../lib/clock.ts';
import { readPart } from '../lib/file-part.ts';

/** How far an entry of a run has come. */
export const State = {
  /** Not sent, or certainly not done. */
  none: 0,
  /** Sent; the result is unknown. */
  open: 1,
  created: 2,
  existed: 3,
  failed: 4,
  /** Left as a previous run wrote it. It is never in the file; each run finds it out again. */
  unchanged: 5,
  /** Created by a previous run and changed in place. */
  changed: 6,
} as const;
export type State = (typeof State)[keyof typeof State];

/** States of all entries of a run, one byte each. */
export class States {
  readonly #bytes: Uint8Array;

  constructor(entries: number) {
    this.#bytes = new Uint8Array(entries);
  }

  get(entry: number) {
    return (this.#bytes[entry] ?? State.none) as State;
  }

  set(entries: Iterable<number>, state: State) {
    for (const entry of entries) this.#bytes[entry] = state;
  }

  /** Counts the entries in this state from `from` to before `to`. */
  count(state: State, from = 0, to = this.#bytes.length) {
    let count = 0;
    for (let entry = from; entry < to; entry++) if (this.#bytes[entry] === state) count++;
    return count;
  }
}

type Trouble = Omit<Failure, 'entry'>;

interface Writes {
  /**
   * The clock that stamps users minus the clock of the intents, in milliseconds: the least value of all requests with users that
   * were sent for the first time. A repeated request that changes nothing is answered with the time of the previous change.
   */
  readonly offset: number | undefined;
  /**
   * Time of the last write by a request with users, on the clock that stamps users. No other write shows in the service's list of
   * users.
   */
  readonly last: number;
}

/** Yields the entries whose result an outcome tells. */
export function* endsOf({ created, changed = [], existed, failed }: AttemptOutcome) {
  for (const entry of created) yield [entry, State.created] as const;
  for (const entry of changed) yield [entry, State.changed] as const;
  for (const entry of existed) yield [entry, State.existed] as const;
  for (const { entry } of failed) yield [entry, State.failed] as const;
}

/** How far a run has come, by the lines of its journal. Updated while they are read and while they are written. */
export class JournalProgress {
  readonly path: string;
  readonly header: JournalHeader;
  readonly states: States;
  /** Why entries failed, or which parts of them were not done, according to their last request. By number. */
  readonly troubles = new DictionaryColumn<readonly Trouble[]>(JSON.stringify);
  /** Entries that were sent and may be done after all: since when (the service's clock, ms). By number. */
  readonly unconfirmed = new DictionaryColumn<number>();
  /** What answers have shown of the clock that stamps users; undefined if none has. */
  writes: Writes | undefined;
  /** Users of previous runs who are gone from the source, by their id at the target. */
  readonly left = new Map<string, Left>();
  attempts = 0;
  /** When the run came to its end, on the service's clock; undefined if it did not. */
  endedAt: number | undefined;
  /** Length of the whole lines. After it is a line that was cut off when the run was killed. */
  wholeBytes = 0;
  readonly #open = new Map<number, Intent>();

  constructor(path: string, header: JournalHeader) {
    this.path = path;
    this.header = header;
    this.states = new States(entriesOf(header));
  }

  /**
   * Whether the run has ended and knows the outcome of each request. A request whose outcome was cut out of the journal is looked
   * up.
   */
  get finished() {
    return this.endedAt !== undefined && this.#open.size === 0;
  }

  /** Requests whose result is unknown. Each needs its outcome before its entries are sent again. */
  get open(): readonly Intent[] {
    return [...this.#open.values()];
  }

  /** Entries that count as failed because no answer ever came, but may be done after all. A resumed run tries them again. */
  get givenUp() {
    return Array.from(this.unconfirmed, ([entry]) => entry).filter(
      (entry) => this.states.get(entry) === State.failed,
    );
  }

  add(line: Line) {
    this.endedAt = line.kind === 'end' ? line.at : undefined;
    if (line.kind === 'intent') this.#begin(line.intent);
    if (line.kind === 'outcome') this.#end(line.outcome);
    if (line.kind === 'left') this.left.set(line.left.id, line.left);
  }

  #begin(intent: Intent) {
    this.attempts = Math.max(this.attempts, intent.attempt);
    this.#open.set(intent.attempt, intent);
    this.states.set(intent.entries, State.open);
  }

  #end(outcome: AttemptOutcome) {
    const { failed, noted, unconfirmed = [] } = outcome;
    const { states } = this;
    const since = unconfirmed.map((entry) => this.unconfirmed.get(entry));
    const intent = this.#open.get(outcome.attempt);
    this.#open.delete(outcome.attempt);
    if (intent !== undefined) states.set(intent.entries, State.none);
    this.#addWrite(outcome.writtenAt, intent);
    for (const [entry, state] of endsOf(outcome)) {
      states.set([entry], state);
      this.unconfirmed.delete(entry);
    }
    for (const [place, entry] of unconfirmed.entries())
      this.unconfirmed.set(entry, since[place] ?? intent?.at ?? 0);
    const own = new Map<number, Trouble[]>();
    for (const { entry, code, detail } of [...failed, ...noted]) {
      own.set(entry, [...(own.get(entry) ?? []), { code, detail }]);
    }
    for (const [entry, list] of own) this.troubles.set(entry, list);
  }

  #addWrite(writtenAt: number | undefined, intent: Intent | undefined) {
    if (writtenAt === undefined || intent === undefined || intent.users.length === 0) return;
    const { offset, last = -Infinity } = this.writes ?? {};
    const isRepeated = intent.entries.some((entry) => this.unconfirmed.has(entry));
    const next = isRepeated ? offset : Math.min(offset ?? Infinity, writtenAt - intent.at);
    this.writes = { offset: next, last: Math.max(last, writtenAt) };
  }
}

/**
 * Yields each line with the number of bytes up to its end. A last line that is cut off (killed while writing) or invalid (power
 * lost before it was on disk) is left out.
 */
export async function* readLines(path: string) {
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 0;
  let invalid: number | undefined;
  let schemas: Schemas | undefined;
  let attempts = 0;
  // A device may have no end, and the system's error for a folder does not name it.
  if (!statSync(path).isFile()) throw notAJournal(path);
  for await (const block of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = rest.length === 0 ? (block as Buffer) : Buffer.concat([rest, block as Buffer]);
    let at = 0;
    for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, at)) {
      const text = bytes.toString('utf8', at, feed);
      const line = decodeLine(text, schemas);
      number += 1;
      end += feed + 1 - at;
      at = feed + 1;
      if (number === 1 && line?.kind !== 'header') throw notAJournal(path, text);
      if (invalid !== undefined) throw damaged(path, invalid);
      const isOdd =
        // Requests are numbered without gaps. If a number is missing, lines were cut out. A request without an outcome is looked
        // up.
        (line?.kind === 'intent' && line.intent.attempt !== ++attempts) ||
        (line?.kind === 'outcome' && line.outcome.attempt > attempts) ||
        (line?.kind === 'end' && line.attempts !== attempts) ||
        // The file contains two journals.
        (line?.kind === 'header' && number > 1);
      if (isOdd) throw damaged(path, number);
      if (line === undefined) invalid = number;
      else yield { line, end };
      // Made after the header was given out, because a caller that reads the header alone needs no schemas.
      if (line?.kind === 'header') schemas = schemasOf(entriesOf(line.header));
    }
    rest = Buffer.from(bytes.subarray(at));
  }
}

/** Returns the header in the first line, or undefined if the file has no whole line. */
export async function readHeader(path: string): Promise<JournalHeader | undefined> {
  for await (const { line } of readLines(path)) return line.kind === 'header' ? line.header : undefined;
  return undefined;
}

/** Yields the requests in the order in which their results became known. Requests without a known result come last. */
export async function* readAttempts(path: string) {
  const open = new Map<number, Intent>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') open.set(line.intent.attempt, line.intent);
    if (line.kind !== 'outcome') continue;
    const { outcome } = line;
    const intent = open.get(outcome.attempt);
    open.delete(outcome.attempt);
    if (intent !== undefined) yield { intent, outcome };
  }
  for (const intent of open.values()) yield { intent, outcome: undefined };
}

/** Throws `journal:*` for a file that is not a journal, or is damaged anywhere but in its last line. */
export async function loadJournal(path: string) {
  let journal: JournalProgress | undefined;
  for await (const { line, end } of readLines(path)) {
    if (line.kind === 'header') journal = new JournalProgress(path, line.header);
    if (journal === undefined) throw notAJournal(path);
    journal.add(line);
    journal.wholeBytes = end;
  }
  if (journal === undefined) throw notAJournal(path);
  return journal;
}

function damaged(path: string, number: number, more = '') {
  return new IdportError(
    'journal:damaged',
    `${path}: line ${number} is not a line of a journal`,
    `The file was changed or is not complete. Restore it: it is the only record of what the run has done.${more}`,
  );
}

/** Reports whether a run created the file and stopped before its first line was whole. It is on disk before any request is sent. */
export function isEmptyJournal(path: string) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > longestHeader) return false;
  const text = readPart(path, longestHeader);
  return found.size === 0 || (text.startsWith(beginning) && !text.includes('\n'));
}

/** `first` is the first line, if it is whole. */
function notAJournal(path: string, first = '') {
  const written = versionOf(first);
  if (written === version)
    return damaged(path, 1, ' If an earlier build of idport wrote it, continue with that one.');
  if (written !== undefined) {
    return new IdportError(
      'journal:version',
      `${path} is a journal of version ${written}, and this idport reads version ${version}`,
      'Continue with the version of idport that wrote it.',
    );
  }
  return isEmptyJournal(path)
    ? new IdportError(
        'journal:unknown',
        `${path} is empty, or cut off in its first line`,
        'The run of such a journal has sent nothing.',
      )
    : new IdportError(
        'journal:unknown',
        `${path} is not a journal of idport`,
        'Name another file with --journal.',
      );
}

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
  onUnreadable: (problem: Error, path: string) => undefined = () => undefined,
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
/** Longer files, in bytes, are not searched for a line feed: hardly any header is longer. */
const longestHeader = 2 ** 20;

/** Checks the beginning before a line is read, because other files may have a line of a gigabyte. */
export const beginsAsJournal = (path: string) => readPart(path, beginning.length) === beginning;

/** Enough for the last outcomes, each of which has a time. */
const tailBytes = 64 * 1024;

/** Returns milliseconds on the clock that stamps users, or undefined if no outcome has a time. */
export function readLastWrite(path: string, counts: (outcome: AttemptOutcome) => boolean) {
  const lines = readPart(path, -tailBytes)
    .split('\n')
    .map((text) => decodeLine(text));
  return latest(
    lines.map((line) =>
      line?.kind === 'outcome' && counts(line.outcome) ? line.outcome.writtenAt : undefined,
    ),
  );
}
