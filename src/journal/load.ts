/** A journal file in; its lines, one by one, and how far the run had come out. Memory holds no line of it. */
import { createReadStream } from 'node:fs';
import { IdportError } from '../errors.ts';
import { FewValues } from '../lib/few-values.ts';
import { version } from './checks.ts';
import {
  decodeLine,
  entriesOf,
  type Failure,
  type Intent,
  type JournalHeader,
  type Line,
  type Outcome,
} from './lines.ts';
import { State, States } from './states.ts';

type Read<Value> = Pick<FewValues<Value>, 'get' | 'has' | typeof Symbol.iterator>;
export type Troubles = Read<Omit<Failure, 'entry'>>;
export type Doubts = Read<number>;

export interface LoadedJournal {
  readonly header: JournalHeader;
  readonly states: States;
  /** Entries that failed or came in only in part, by number. */
  readonly troubles: Troubles;
  /**
   * Entries that were sent and are to be sent again, by number: since when (the service's clock, ms) they may be done.
   */
  readonly doubts: Doubts;
  /** Requests of which nobody knows how they ended. */
  readonly open: readonly Intent[];
  readonly attempts: number;
  readonly finished: boolean;
  /** Up to here the file is whole lines; what stands behind it is a line that was torn when the run was killed. */
  readonly wholeBytes: number;
}

/**
 * Each line with the number of bytes up to its end. A last line that is torn (killed while writing) or makes no sense
 * (power lost before it was on the disk) is left out.
 */
export async function* readLines(path: string): AsyncGenerator<{ line: Line; end: number }> {
  let rest = Buffer.alloc(0);
  let end = 0;
  let number = 0;
  let senseless: number | undefined;
  let entries = 0;
  for await (const block of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const bytes = rest.length === 0 ? (block as Buffer) : Buffer.concat([rest, block as Buffer]);
    let at = 0;
    for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, at)) {
      const line = decodeLine(bytes.toString('utf8', at, feed), entries);
      number += 1;
      end += feed + 1 - at;
      at = feed + 1;
      if (senseless !== undefined) throw senseless === 1 ? notAJournal(path) : damaged(path, senseless);
      if (line?.kind === 'header') entries = entriesOf(line.header);
      if (line === undefined) senseless = number;
      else yield { line, end };
    }
    rest = Buffer.from(bytes.subarray(at));
  }
}

/** Throws `journal:*` for a file that is no journal or is damaged anywhere but in its last line. */
export async function loadJournal(path: string): Promise<LoadedJournal> {
  let header: JournalHeader | undefined;
  let states = new States(0);
  const open = new Map<number, Intent>();
  const troubles = new FewValues<Omit<Failure, 'entry'>>(({ code, detail }) => `${code}\n${detail}`);
  const doubts = new FewValues<number>(String);
  let attempts = 0;
  let finished = false;
  let wholeBytes = 0;
  for await (const { line, end } of readLines(path)) {
    wholeBytes = end;
    if (line.kind === 'header') {
      header = line.header;
      states = new States(entriesOf(header));
    } else if (header === undefined) {
      throw notAJournal(path);
    } else if (line.kind === 'intent') {
      attempts = Math.max(attempts, line.intent.attempt);
      open.set(line.intent.attempt, line.intent);
      states.set(line.intent.entries, State.open);
    } else if (line.kind === 'outcome') {
      const intent = open.get(line.outcome.attempt);
      if (intent !== undefined) states.set(intent.entries, State.none);
      open.delete(line.outcome.attempt);
      follow(doubts, line.outcome, intent?.at ?? 0);
      settle(states, line.outcome);
      for (const { entry, code, detail } of [...line.outcome.failed, ...line.outcome.noted])
        troubles.set(entry, { code, detail });
    }
    finished = line.kind === 'end';
  }
  if (header === undefined) throw notAJournal(path);
  return { header, states, troubles, doubts, open: [...open.values()], attempts, finished, wholeBytes };
}

function follow(doubts: FewValues<number>, outcome: Outcome, at: number): void {
  const { created, existed, failed, doubtful = [] } = outcome;
  for (const entry of created) doubts.delete(entry);
  for (const entry of existed) doubts.delete(entry);
  for (const { entry } of failed) doubts.delete(entry);
  for (const entry of doubtful) if (!doubts.has(entry)) doubts.set(entry, at);
}

export function settle(states: States, { created, existed, failed }: Outcome): void {
  states.set(created, State.created);
  states.set(existed, State.existed);
  states.set(
    failed.map(({ entry }) => entry),
    State.failed,
  );
}

function damaged(path: string, number: number): IdportError {
  return new IdportError('journal:damaged', `${path}: line ${number} is not a line of a journal`, {
    hint: 'The file was changed or is not whole. Restore it; without it nobody knows what the run had done.',
  });
}

function notAJournal(path: string): IdportError {
  return new IdportError('journal:unknown', `${path} is not a journal of idport (version ${version})`, {
    hint: 'Name another file with --journal.',
  });
}
