/** Reads, joins, places and checks a record, in the same way for every task and without a copy. */
import type { Origin, ReadResult, AcceptedRecord } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/raw-record.ts';
import type { Reader } from '../../sources/source.ts';
import { checkRecord, type HashPolicy, type Verdict } from './check-record.ts';
import { createPlacer, type PlaceSettings, type RecordFinders } from './place-record.ts';

export interface RecordSettings extends PlaceSettings {
  readonly policy: HashPolicy;
  /** Entries of a body's lists, to add to their users. */
  readonly owned?: { join(record: AcceptedRecord): void } | undefined;
}

export type CheckedRecord = ReadResult & Verdict;

export function createRecordReader(
  reader: Reader<unknown>,
  settings: RecordSettings,
  finders: RecordFinders,
) {
  const place = createPlacer(settings, finders);
  return (raw: unknown, origin: Origin, context: unknown, at: number): CheckedRecord => {
    const record: CheckedRecord =
      raw instanceof BrokenRecord ? raw.reject(origin) : reader(raw, origin, context, at);
    if (record.kind === 'rejected') return record;
    settings.owned?.join(record);
    // Only Keycloak has realms.
    const { realm = '' } = (context ?? {}) as { readonly realm?: string };
    record.placement = place(raw, record, realm);
    return record.kind === 'machine' ? record : checkRecord(record, settings.policy);
  };
}
