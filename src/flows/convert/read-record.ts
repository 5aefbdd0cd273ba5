/** The way of one record, the same for every task: read, joined, placed, checked. Nothing copies it on the way. */
import type { MachineRecord, Origin, ReadResult, Rejected, UserRecord } from '../../records/user.ts';
import { BrokenRecord } from '../../sources/broken-record.ts';
import type { Reader } from '../../sources/source.ts';
import { checkRecord, type CheckedRecord, type HashPolicy } from './check-record.ts';
import { createPlacer, type Placement, type PlaceSettings, type RecordFinders } from './place-record.ts';

export interface RecordSettings extends PlaceSettings {
  readonly policy: HashPolicy;
  /** Of a body: adds to a user what its own lists say. */
  readonly owned?: { join(record: UserRecord | MachineRecord): void } | undefined;
}

export interface RecordRead extends Omit<CheckedRecord, 'record'> {
  readonly record: UserRecord | MachineRecord | Rejected;
  placement?: Placement;
}

export type RecordReader = (raw: unknown, origin: Origin, context: unknown, place: number) => RecordRead;

export function createRecordReader(
  reader: Reader<unknown>,
  settings: RecordSettings,
  finders: RecordFinders = {},
): RecordReader {
  const place = createPlacer(settings, finders);
  const read = (raw: unknown, origin: Origin, context: unknown, at: number): ReadResult =>
    raw instanceof BrokenRecord ? raw.reject(origin) : reader(raw, origin, context, at);
  return (raw, origin, context, at) => {
    const record = read(raw, origin, context, at);
    if (record.kind === 'rejected') return { record, algorithm: 'none' };
    settings.owned?.join(record);
    const placement = place(raw, record, realmOf(context));
    if (record.kind === 'machine') return { record, placement, algorithm: 'none' };
    const checked: RecordRead = checkRecord(record, settings.policy);
    checked.placement = placement;
    return checked;
  };
}

/** Only Keycloak has realms. */
function realmOf(context: unknown): string {
  const { realm = '' } = (context ?? {}) as { readonly realm?: string };
  return realm;
}
