/** Computes fingerprints of records, which show which users have changed since a previous run. */
import { hash, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Input } from '../../lib/input.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { State, type JournalProgress } from '../../journal/load.ts';
import { findJournal, findUndo, type JournalOptions } from '../runs/open-journal.ts';
import { encodeImportRecord, encodeMachineUser, encodeMetadata } from '../../targets/human-user.ts';
import { fingerprintLength } from './previous-table.ts';
import { ColumnTable } from '../../compact/columns.ts';
import { type JsonObject, parseObject, firstText, sortKeys } from '../../lib/json-value.ts';
import { TextTable } from '../../compact/key-table.ts';
import { camelCase, renamed } from '../../wire/member-names.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';

/**
 * Chooses the key of a run's fingerprints, the same for all runs that are compared with each other. It is kept in the journal.
 * `shared` is the key that all shards of a run have, so that their journals belong together.
 */
export async function chooseKey(
  previous: { readonly keys: readonly string[] } | undefined,
  { path, resume, fresh = false }: JournalOptions,
  shared?: string,
) {
  const journal = await findJournal(path);
  const goesOn = resume || (!fresh && journal?.finished === false);
  const resumed = goesOn && journal !== undefined ? keyOf(journal.header) : undefined;
  const renamed = fresh ? await findNewIds(path, journal) : undefined;
  const key = previous?.keys[0] ?? resumed ?? shared ?? renamed ?? randomBytes(16).toString('base64url');
  return {
    key,
    /** Whether the new ids are those of a previous run that is not continued. */
    sameIds: key === renamed,
  };
}

/** Returns the key of the previous run if it gave new ids and was not rolled back: its users still have these ids. */
async function findNewIds(path: string, journal: JournalProgress | undefined) {
  if (journal?.header.settings['ids'] !== 'new') return undefined;
  const follows = (journal.header.follows ?? []).map((name) => join(dirname(path), name));
  for (const each of [path, ...follows]) {
    const found = await findJournal(each);
    const undone = found && (await findUndo(found));
    if ((undone?.states.count(State.created) ?? 0) > 0) return undefined;
  }
  return keyOf(journal.header);
}

/** Returns undefined for a journal without fingerprints. */
export const keyOf = ({ settings }: JournalHeader) => settings['fingerprints'];

export type Fingerprints = Awaited<ReturnType<typeof readFingerprints>>;

/**
 * Reads what fingerprints need besides the record itself: the related entries of each user in these lists. `keys` are those of
 * previous runs.
 */
export async function readFingerprints(
  inputs: readonly Input[],
  lists: readonly string[],
  key: string,
  keys: readonly string[] = [],
) {
  const related = new Map<string, RelatedRecords>();
  for (const each of [key, ...keys])
    related.set(each, await readRelatedRecords(lists.length === 0 ? [] : inputs, lists, each));
  return {
    key,
    /**
     * Returns 66 bits. `text` is the whole record and must not contain anything that could be guessed. `by` is one of the keys.
     */
    of: (id: string, text: string, by = key) =>
      hash('sha256', `${by}\n${text}${related.get(by)?.hashOf(id) ?? ''}`, 'base64url').slice(
        0,
        fingerprintLength,
      ),
  };
}

/**
 * Returns everything of a record that is sent. Leaves out a plain password, because the fingerprint in the journal could be used
 * to try passwords. Hashes have a salt that cannot be guessed.
 */
export function textOf(record: UserRecord | MachineRecord) {
  const { grants = '', orgId = '' } = record;
  const metadata = `${encodeMetadata(record)}${grants}${orgId}`;
  if (record.kind === 'machine') return `${encodeMachineUser(record)}${metadata}`;
  const plain = record.plainPassword === '' ? '' : 'plain';
  const head = `[${JSON.stringify(record.id)},"${record.state}","${plain}"]`;
  return `${head}${encodeImportRecord(record)}${metadata}`;
}

export type RelatedRecords = Awaited<ReturnType<typeof readRelatedRecords>>;

/** Reads the inputs once. `key` is that of the fingerprints. Entries that are not JSON are left out. */
export async function readRelatedRecords(inputs: readonly Input[], lists: readonly string[], key: string) {
  const owners = new TextTable();
  // Sums of the hashes of a user's entries, because a sum does not depend on the order.
  const sums = new ColumnTable(['sum', 'sum too']);
  for (const input of inputs) {
    for await (const { list, text } of readEntries(input, lists)) {
      const entry = renamed(parseObject(text), camelCase) as JsonObject;
      // Metadata names its owner `id`, all other lists `userId`.
      const owner = firstText(entry, list === 'userMetadata' ? 'id' : 'userId');
      if (owner === '') continue;
      const bits = hash('sha256', `${key}\n${list}\n${JSON.stringify(entry, sortKeys)}`, 'buffer');
      const known = owners.find(owner);
      const row = known === -1 ? owners.add(owner) : known;
      sums.set(row, 'sum', sums.get(row, 'sum') + bits.readUInt32BE(0));
      sums.set(row, 'sum too', sums.get(row, 'sum too') + bits.readUInt32BE(4));
    }
  }
  return {
    /** Differs if any related record of the user differs, regardless of their order. Empty for a user without related records. */
    hashOf: (id: string) => {
      const row = id === '' ? -1 : owners.find(id);
      return row === -1 ? '' : `${sums.get(row, 'sum')} ${sums.get(row, 'sum too')}`;
    },
  };
}
