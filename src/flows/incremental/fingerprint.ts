/**
 * A record in, a short text out that is another one when anything of the record is: what changed since the last run.
 */
import { hash, randomBytes } from 'node:crypto';
import { quoteJson } from '../../lib/json-quote.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { findJournal, type JournalPlace } from '../resume/open-journal.ts';
import { encodeImportRecord, encodeMachineUser, encodeMetadata } from '../../targets/human-user.ts';
import type { Before } from './previous-table.ts';
import { noBelongings, type Belongings } from './related-records.ts';

/** How the fingerprints of a run are made; it goes into the journal. */
export interface FingerprintWay {
  /** The same over all runs that are compared with each other. */
  readonly key: string;
  /** What stands about a person in lists of their own counts as well; it did not in earlier versions of idport. */
  readonly withLists: boolean;
}

export async function chooseFingerprints(
  earlier: { readonly key: string } | undefined,
  { path, resume }: JournalPlace,
): Promise<FingerprintWay> {
  const before = await findJournal(path);
  const continued = resume || before?.finished === false ? readWay(before?.header.settings ?? {}) : undefined;
  const key = earlier?.key ?? continued?.key ?? randomBytes(16).toString('base64url');
  return { key, withLists: continued?.withLists ?? true };
}

/** Undefined for a journal without fingerprints. */
export function readWay(settings: Readonly<Record<string, string>>): FingerprintWay | undefined {
  const key = settings['fingerprints'];
  return key === undefined ? undefined : { key, withLists: settings['fingerprinted'] === withLists };
}

export function writeWay(way: FingerprintWay): Record<string, string> {
  return { fingerprints: way.key, ...(way.withLists ? { fingerprinted: withLists } : {}) };
}

const withLists = 'person, lists';

/** Of what is carried of a person: the record, and what the lists of the body have for its id. */
export class Fingerprints {
  readonly #key: string;
  readonly #belongings: Belongings;

  constructor({ key, withLists }: FingerprintWay, belongings: Belongings) {
    this.#key = key;
    this.#belongings = withLists ? belongings : noBelongings;
  }

  /** `text` is all of the record. */
  of(id: string, text: string): string {
    return fingerprintText(this.#key, `${text}${this.#belongings.of(id)}`);
  }

  /** Whether a person is as `before` says, as far as it can be known. */
  isStill(before: Before, known: { readonly withLists: boolean }, id: string, text: string): boolean {
    if (before.isStill(this.of(id, text))) return true;
    return !known.withLists && before.isStill(fingerprintText(this.#key, text));
  }
}

/**
 * All of a record, as it is written: what a target is never told cannot have changed there. A password in plain text is
 * left out, for whoever has the journal could try passwords against it; hashes have a salt that nobody can guess.
 * `encoded` is the import record of a human, where it was written before.
 */
export function textOf(record: UserRecord | MachineRecord, encoded?: string): string {
  const metadata = encodeMetadata(record);
  if (record.kind === 'machine') return `${encodeMachineUser(record)}${metadata}`;
  const plain = record.plainPassword === '' ? '' : 'plain';
  const head = `[${quoteJson(record.id)},"${record.state}","${plain}"]`;
  return `${head}${encoded ?? encodeImportRecord(record)}${metadata}`;
}

/** 66 bits. The text must hold nothing that could be guessed. */
export function fingerprintText(key: string, text: string): string {
  return hash('sha256', `${key}\n${text}`, 'base64url').slice(0, 11);
}
