/** What previous runs left of each user: 60 bytes a user, plus the id. */
import { IdColumn } from '../../compact/columns.ts';

/** Characters of the fingerprint of a record; those of its parts follow. */
export const fingerprintLength = 11;
/** Of the fingerprints of the parts, decoded. */
const partBytes = 33;

export type PreviousState = NonNullable<ReturnType<PreviousTable['get']>>;

export interface PreviousUser extends Omit<PreviousState, 'isStill' | 'parts' | 'older'> {
  readonly older?: readonly string[];
  /** The fingerprint of the record, followed by those of its parts. */
  readonly fingerprint: string;
}

/** Where the fields of a row begin. */
const at = { record: 0, parts: 8, created: 41, written: 49, isRemoved: 57, key: 58 } as const;
const rowBytes = 60;
const minimumRows = 1024;

export class PreviousTable {
  readonly #ids = new IdColumn();
  /** Of few users. */
  readonly #older = new Map<number, readonly string[]>();
  /** There are as many as there are journals of first runs. */
  readonly #keys: string[] = [];
  #rows = Buffer.alloc(0);

  set(row: number, { key, fingerprint, older, id, createdSince = 0, writtenAt = 0 }: PreviousUser) {
    if (older === undefined) this.#older.delete(row);
    else this.#older.set(row, older);
    const fields = this.#row(row).fill(0);
    fields.write(fingerprint.slice(0, fingerprintLength), at.record, 'base64url');
    fields.write(fingerprint.slice(fingerprintLength), at.parts, partBytes, 'base64url');
    fields.writeDoubleLE(createdSince, at.created);
    fields.writeDoubleLE(writtenAt, at.written);
    if (!this.#keys.includes(key)) this.#keys.push(key);
    fields.writeUInt16LE(this.#keys.indexOf(key), at.key);
    if (id !== (this.#ids.get(row) ?? '')) this.#ids.set(row, id);
  }

  /** The user is not there any more. */
  remove(row: number) {
    this.#row(row)[at.isRemoved] = 1;
  }

  get(row: number) {
    // The row may be set again.
    const fields = Buffer.from(this.#row(row));
    if (fields[at.isRemoved] === 1) return undefined;
    const known = fields.subarray(at.record, at.parts);
    const parts = fields.subarray(at.parts, at.parts + partBytes);
    return {
      /** Of its fingerprints. */
      key: this.#keys[fields.readUInt16LE(at.key)]!,
      /** Whether the record still has this fingerprint. */
      isStill: (fingerprint: string) =>
        known.equals(Buffer.from(fingerprint, 'base64url').subarray(0, known.length)),
      /**
       * After a request without an answer, which may have written `parts`: what was there before it, the oldest first. Empty
       * where that was nothing.
       */
      older: this.#older.get(row) ?? [],
      /** At the target, where it is not that of the source; else empty. */
      id: this.#ids.get(row) ?? '',
      /** When the request was sent that created the user, on the service's clock in milliseconds. */
      createdSince: fields.readDoubleLE(at.created) || undefined,
      /** When a run has last written the user, on the clock that stamps users in milliseconds, where it is known. */
      writtenAt: fields.readDoubleLE(at.written) || undefined,
      /** As `fingerprintParts` gives them; empty for a user whom no run before has created, of whom nothing is known. */
      parts: parts.some((byte) => byte !== 0) ? parts.toString('base64url') : '',
    };
  }

  #row(row: number): Buffer {
    const end = (row + 1) * rowBytes;
    if (end > this.#rows.length) {
      const wider = Buffer.alloc(Math.max(end, minimumRows * rowBytes, Math.ceil(1.5 * this.#rows.length)));
      this.#rows.copy(wider);
      this.#rows = wider;
    }
    return this.#rows.subarray(end - rowBytes, end);
  }
}
