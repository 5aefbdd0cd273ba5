/** What previous runs have left of each user, in about 64 bytes a user. */
import { ColumnTable } from '../../compact/column-table.ts';
import { IdColumn } from '../../compact/id-column.ts';

/** Characters of the fingerprint of a record; those of its parts follow. */
export const fingerprintLength = 11;
/** Of the fingerprints of the parts, decoded. */
const partBytes = 27;

export interface PreviousState {
  /** Whether the record still has this fingerprint. */
  isStill(fingerprint: string): boolean;
  /** Fingerprints of the parts of the record, as `fingerprintParts` gives them; empty where they are not known. */
  readonly parts: string;
  /** At the target, where it is not that of the source; else empty. */
  readonly id: string;
  /** When the request was sent that created the user, on the service's clock in milliseconds; else undefined. */
  readonly createdSince: number | undefined;
  /** When a run has last written the user, on the clock that stamps users in milliseconds, where it is known. */
  readonly writtenAt: number | undefined;
}

export interface PreviousUser extends Omit<PreviousState, 'isStill' | 'parts'> {
  /** That of the record, and those of its parts behind it. */
  readonly fingerprint: string;
}

const ofRecord = ['record', 'record too'] as const;
const ofParts = ['parts 1', 'parts 2', 'parts 3', 'parts 4', 'parts 5', 'parts 6', 'parts 7'] as const;

export class PreviousTable {
  readonly #ids = new IdColumn();
  readonly #numbers = new ColumnTable([
    ...ofRecord,
    ...ofParts,
    'created',
    'created too',
    'written',
    'written too',
    'removed',
  ]);

  set(row: number, { fingerprint, id, createdSince, writtenAt }: PreviousUser): void {
    this.#setText(row, ofRecord, fingerprint.slice(0, fingerprintLength));
    this.#setText(row, ofParts, fingerprint.slice(fingerprintLength));
    this.#setTime(row, 'created', createdSince);
    this.#setTime(row, 'written', writtenAt);
    this.#numbers.set(row, 'removed', 0);
    if (id !== (this.#ids.get(row) ?? '')) this.#ids.set(row, id);
  }

  /** The user is not there any more. */
  remove(row: number): void {
    this.#numbers.set(row, 'removed', 1);
  }

  get(row: number): PreviousState | undefined {
    if (this.#numbers.get(row, 'removed') === 1) return undefined;
    const parts = this.#bytesOf(row, ofParts);
    const known = this.#bytesOf(row, ofRecord);
    return {
      isStill: (fingerprint) => known.equals(Buffer.from(fingerprint, 'base64url').subarray(0, known.length)),
      id: this.#ids.get(row) ?? '',
      createdSince: this.#timeOf(row, 'created'),
      writtenAt: this.#timeOf(row, 'written'),
      // Nothing is known of a user whom no run before has created.
      parts: parts.some((byte) => byte !== 0) ? parts.toString('base64url', 0, partBytes) : '',
    };
  }

  /** As many bits of a text in base64url as fit into the columns. */
  #setText(row: number, columns: typeof ofRecord | typeof ofParts, text: string): void {
    const bytes = Buffer.alloc(4 * columns.length);
    bytes.write(text, 'base64url');
    for (const [at, name] of columns.entries()) this.#numbers.set(row, name, bytes.readUInt32BE(4 * at));
  }

  #bytesOf(row: number, columns: typeof ofRecord | typeof ofParts): Buffer {
    const bytes = Buffer.alloc(4 * columns.length);
    for (const [at, name] of columns.entries()) bytes.writeUInt32BE(this.#numbers.get(row, name), 4 * at);
    return bytes;
  }

  #setTime(row: number, name: 'created' | 'written', time = 0): void {
    this.#numbers.set(row, name, time % 2 ** 32);
    this.#numbers.set(row, `${name} too`, Math.floor(time / 2 ** 32));
  }

  #timeOf(row: number, name: 'created' | 'written'): number | undefined {
    return this.#numbers.get(row, `${name} too`) * 2 ** 32 + this.#numbers.get(row, name) || undefined;
  }
}
