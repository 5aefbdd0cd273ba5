/** Stores what previous runs left of each user. Takes 60 bytes a user, plus the id. */
import { IdColumn } from '../../compact/columns.ts';

/** Characters of the fingerprint of a record. Those of its parts follow. */
export const fingerprintLength = 11;
/** Bytes of the decoded fingerprints of the parts. */
const partBytes = 33;

export type PreviousState = NonNullable<ReturnType<PreviousTable['get']>>;

export interface PreviousUser extends Omit<PreviousState, 'isStill' | 'parts' | 'older'> {
  readonly older?: readonly string[];
  /** Fingerprint of the record, followed by those of its parts. */
  readonly fingerprint: string;
}

/** Byte offsets of the fields in a row. */
const at = { record: 0, parts: 8, created: 41, written: 49, isRemoved: 57, key: 58 } as const;
const rowBytes = 60;
const minimumRows = 1024;

export class PreviousTable {
  readonly #ids = new IdColumn();
  /** Rows that have `older`. They are few. */
  readonly #older = new Map<number, readonly string[]>();
  /** There are as many keys as journals of first runs. */
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

  /** Marks a user that no longer exists. */
  remove(row: number) {
    this.#row(row)[at.isRemoved] = 1;
  }

  get(row: number) {
    if (row === -1) return undefined;
    // Copy the row, because it may be set again.
    const fields = Buffer.from(this.#row(row));
    if (fields[at.isRemoved] === 1) return undefined;
    const known = fields.subarray(at.record, at.parts);
    const parts = fields.subarray(at.parts, at.parts + partBytes);
    return {
      /** Key of the user's fingerprints. */
      key: this.#keys[fields.readUInt16LE(at.key)]!,
      /** Reports whether the record still has this fingerprint. */
      isStill: (fingerprint: string) =>
        known.equals(Buffer.from(fingerprint, 'base64url').subarray(0, known.length)),
      /**
       * After a request without an answer, which may have written `parts`: the parts before it, oldest first. An empty text
       * stands for a user that did not exist.
       */
      older: this.#older.get(row) ?? [],
      /** Id at the target, if it differs from that of the source. Otherwise empty. */
      id: this.#ids.get(row) ?? '',
      /** When the request that created the user was sent, on the service's clock, in milliseconds. */
      createdSince: fields.readDoubleLE(at.created) || undefined,
      /** When a run last wrote the user, on the clock that stamps users, in milliseconds, if known. */
      writtenAt: fields.readDoubleLE(at.written) || undefined,
      /** Fingerprints from `fingerprintParts`. Empty for a user whom no previous run created, of whom nothing is known. */
      parts: parts.some((byte) => byte !== 0) ? parts.toString('base64url') : '',
    };
  }

  #row(row: number) {
    const end = (row + 1) * rowBytes;
    if (end > this.#rows.length) {
      const wider = Buffer.alloc(Math.max(end, minimumRows * rowBytes, Math.ceil(1.5 * this.#rows.length)));
      this.#rows.copy(wider);
      this.#rows = wider;
    }
    return this.#rows.subarray(end - rowBytes, end);
  }
}
