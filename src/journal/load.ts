/**
 * Reads a journal: its lines or its requests one by one, or how far the run has come. Memory holds no line of it but those of
 * requests whose result is unknown.
 */
import { createReadStream, statSync } from 'node:fs';
import { IdportError } from '../errors.ts';
import { DictionaryColumn } from '../compact/dictionary-column.ts';
import { version } from './lines.ts';
import {
  decodeLine,
  entriesOf,
  type Failure,
  type Intent,
  type JournalHeader,
  type Line,
  type AttemptOutcome,
} from './lines.ts';
import { State, States } from './states.ts';

export type Trouble = Omit<Failure, 'entry'>;
export type Troubles = DictionaryColumn<readonly Trouble[]>;
/** Entries that were sent and may be done all the same, by number: since when (the service's clock, ms). */
export type Doubts = DictionaryColumn<number>;

export interface Writes {
  /**
   * That clock minus the one of the intents, in milliseconds: the least of all requests with users that were sent for the
   * first time. One that is sent again and changes nothing is answered with the time of the change before.
   */
  readonly offset: number | undefined;
  /** When a request with users has last written, on that clock: the service's list of users takes notice of no other. */
  readonly last: number;
}

export interface LoadedJournal {
  readonly header: JournalHeader;
  readonly states: States;
  /** Why entries failed, or which parts of them were not done, as their last request says; by number. */
  readonly troubles: Troubles;
  readonly doubts: Doubts;
  /** What answers have shown of the clock that stamps users; undefined where none has. */
  readonly writes: Writes | undefined;
  /** Requests whose result is unknown. */
  readonly open: readonly Intent[];
  readonly attempts: number;
  /** Where the run has come to its end: when, on the service's clock. */
  readonly endedAt: number | undefined;
  readonly finished: boolean;
  /** Length of the whole lines; behind it is a line that was cut off when the run was killed. */
  readonly wholeBytes: number;
}

/**
 * Each line with the number of bytes up to its end. A last line that is cut off (killed while writing) or invalid
 * (power lost before it was on the disk) is left out.
 */
export async function* readLines(path: string): AsyncGenerator<{ line: Line; end: number }> {
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 0;
  let invalid: number | undefined;
  let entries = 0;
  let attempts = 0;
  const kind = statSync(path);
  // A device may have no end; a folder says itself what it is.
  if (!kind.isFile() && !kind.isDirectory()) throw notAJournal(path);
  for await (const block of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = rest.length === 0 ? (block as Buffer) : Buffer.concat([rest, block as Buffer]);
    let at = 0;
    for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, at)) {
      const line = decodeLine(bytes.toString('utf8', at, feed), entries);
      number += 1;
      end += feed + 1 - at;
      at = feed + 1;
      if (invalid !== undefined) throw invalid === 1 ? notAJournal(path) : damaged(path, invalid);
      if (line?.kind === 'header') entries = entriesOf(line.header);
      // Requests are numbered without a gap: where a number is missing, lines were cut out. One without outcome is looked up.
      if (line?.kind === 'intent' && line.intent.attempt !== ++attempts) throw damaged(path, number);
      if (line?.kind === 'outcome' && line.outcome.attempt > attempts) throw damaged(path, number);
      if (line?.kind === 'end' && line.attempts !== attempts) throw damaged(path, number);
      if (line === undefined) invalid = number;
      else yield { line, end };
    }
    rest = Buffer.from(bytes.subarray(at));
  }
}

/** The first line; undefined where the file has no whole line. */
export async function readHeader(path: string): Promise<JournalHeader | undefined> {
  for await (const { line } of readLines(path)) return line.kind === 'header' ? line.header : undefined;
  return undefined;
}

export interface ReadAttempt {
  readonly intent: Intent;
  /** Undefined where the result is not known. */
  readonly outcome: AttemptOutcome | undefined;
}

/** The requests, in the order in which their results became known; those whose result is not known come last. */
export async function* readAttempts(path: string): AsyncGenerator<ReadAttempt> {
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

export function emptyJournal(header: JournalHeader) {
  return {
    header,
    finished: false,
    states: new States(entriesOf(header)),
    troubles: new DictionaryColumn<readonly Trouble[]>(JSON.stringify),
    doubts: new DictionaryColumn<number>(String),
    writes: undefined as Writes | undefined,
    open: [] as readonly Intent[],
    attempts: 0,
  };
}

/** Throws `journal:*` for a file that is no journal or is damaged anywhere but in its last line. */
export async function loadJournal(path: string): Promise<LoadedJournal> {
  let journal: ReturnType<typeof emptyJournal> | undefined;
  const open = new Map<number, Intent>();
  let endedAt: number | undefined;
  let wholeBytes = 0;
  for await (const { line, end } of readLines(path)) {
    wholeBytes = end;
    if (line.kind === 'header') {
      journal = emptyJournal(line.header);
    } else if (journal === undefined) {
      throw notAJournal(path);
    } else if (line.kind === 'intent') {
      journal.attempts = Math.max(journal.attempts, line.intent.attempt);
      open.set(line.intent.attempt, line.intent);
      journal.states.set(line.intent.entries, State.open);
    } else if (line.kind === 'outcome') {
      const { states, doubts, troubles } = journal;
      const intent = open.get(line.outcome.attempt);
      if (intent !== undefined) states.set(intent.entries, State.none);
      open.delete(line.outcome.attempt);
      const isRepeated = intent?.entries.some((entry) => doubts.has(entry)) ?? false;
      journal.writes = addWrite(journal.writes, line.outcome.writtenAt, intent, isRepeated);
      updateDoubts(doubts, line.outcome, intent?.at ?? 0);
      applyOutcome(states, line.outcome);
      addTroubles(troubles, line.outcome);
    }
    endedAt = line.kind === 'end' ? line.at : undefined;
  }
  if (journal === undefined) throw notAJournal(path);
  return { ...journal, open: [...open.values()], endedAt, finished: endedAt !== undefined, wholeBytes };
}

function addWrite(
  writes: Writes | undefined,
  writtenAt: number | undefined,
  intent: Intent | undefined,
  isRepeated: boolean,
): Writes | undefined {
  if (writtenAt === undefined || intent === undefined || intent.users.length === 0) return writes;
  const { offset, last = -Infinity } = writes ?? {};
  const next = isRepeated ? offset : Math.min(offset ?? Infinity, writtenAt - intent.at);
  return { offset: next, last: Math.max(last, writtenAt) };
}

function updateDoubts(doubts: Doubts, outcome: AttemptOutcome, at: number): void {
  const { created, changed = [], existed, failed, doubtful = [] } = outcome;
  for (const entry of [...created, ...changed, ...existed]) doubts.delete(entry);
  for (const { entry } of failed) doubts.delete(entry);
  for (const entry of doubtful) if (!doubts.has(entry)) doubts.set(entry, at);
}

function addTroubles(troubles: Troubles, outcome: AttemptOutcome): void {
  const own = new Map<number, Trouble[]>();
  for (const { entry, code, detail } of [...outcome.failed, ...outcome.noted]) {
    own.set(entry, [...(own.get(entry) ?? []), { code, detail }]);
  }
  for (const [entry, list] of own) troubles.set(entry, list);
}

/** Marks what an outcome says in the states of the entries. */
export function applyOutcome(
  states: States,
  { created, changed = [], existed, failed }: AttemptOutcome,
): void {
  states.set(created, State.created);
  states.set(changed, State.changed);
  states.set(existed, State.existed);
  states.set(
    failed.map(({ entry }) => entry),
    State.failed,
  );
}

function damaged(path: string, number: number): IdportError {
  return new IdportError('journal:damaged', `${path}: line ${number} is not a line of a journal`, {
    hint: 'The file was changed or is not complete. Restore it: it is the only record of what the run has done.',
  });
}

function notAJournal(path: string): IdportError {
  return new IdportError('journal:unknown', `${path} is not a journal of idport (version ${version})`, {
    hint: 'Name another file with --journal.',
  });
}
