/** What previous runs have left of each user, in 64 bytes a user. */
import { createGrowableMemory } from '../../compact/growable-memory.ts';

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

export interface PreviousUser {
  /** That of the record, and those of its parts behind it. */
  readonly fingerprint: string;
  readonly id: string;
  readonly createdSince: number | undefined;
  readonly writtenAt: number | undefined;
}

/** Fingerprint, id, two times, and the parts. */
const words = 8;
const partsAt = 4;
const wordBytes = 8;
const smallest = 1024;

/** Ids of the service are numbers below 2^63. */
const numeric = /^[1-9]\d{0,17}$/;

/** Stands in for a time. */
const removed = -Infinity;

export class PreviousTable {
  readonly #memory = createGrowableMemory();
  #places = 0;
  /** Ids that are not numbers; only other, small services give such. */
  readonly #otherIds = new Map<number, string>();
  #numbers = new BigUint64Array(0);
  #times = new Float64Array(0);

  set(place: number, { fingerprint, id, createdSince, writtenAt }: PreviousUser): void {
    if (place >= this.#places) this.#grow(place + 1);
    const isNumber = numeric.test(id);
    this.#numbers[words * place] = toNumber(fingerprint);
    this.#numbers[words * place + 1] = isNumber ? BigInt(id) : 0n;
    this.#times[words * place + 2] = createdSince ?? NaN;
    this.#times[words * place + 3] = writtenAt ?? NaN;
    const parts = Buffer.alloc(partBytes + 1);
    parts[partBytes] = parts.write(fingerprint.slice(fingerprintLength), 'base64url');
    this.#partsOf(place).set(parts);
    if (isNumber || id === '') this.#otherIds.delete(place);
    else this.#otherIds.set(place, id);
  }

  /** The user is not there any more. */
  remove(place: number): void {
    this.set(place, { fingerprint: '', id: '', createdSince: removed, writtenAt: undefined });
  }

  get(place: number): PreviousState | undefined {
    const known = this.#numbers[words * place];
    const id = this.#numbers[words * place + 1] ?? 0n;
    const since = this.#times[words * place + 2] ?? NaN;
    if (since === removed) return undefined;
    const written = this.#times[words * place + 3] ?? NaN;
    // Nothing is known of a user whom no run before has created.
    const parts = place < this.#places ? Buffer.from(this.#partsOf(place)) : Buffer.alloc(partBytes + 1);
    return {
      isStill: (fingerprint) => toNumber(fingerprint) === known,
      id: id === 0n ? (this.#otherIds.get(place) ?? '') : String(id),
      createdSince: Number.isNaN(since) ? undefined : since,
      writtenAt: Number.isNaN(written) ? undefined : written,
      parts: parts[partBytes] === 0 ? '' : parts.toString('base64url', 0, partBytes),
    };
  }

  #partsOf(place: number): Uint8Array {
    return new Uint8Array(this.#numbers.buffer, (words * place + partsAt) * wordBytes, partBytes + 1);
  }

  #grow(places: number): void {
    this.#places = Math.max(smallest, places, Math.ceil(this.#places * 1.25));
    this.#memory.grow(this.#places * words * wordBytes);
    this.#numbers = new BigUint64Array(this.#memory.buffer, 0, this.#places * words);
    this.#times = new Float64Array(this.#memory.buffer, 0, this.#places * words);
  }
}

/** The first 64 bits of a fingerprint in base64url. */
function toNumber(fingerprint: string): bigint {
  const bytes = Buffer.alloc(wordBytes);
  bytes.write(fingerprint, 'base64url');
  return bytes.readBigUInt64BE();
}
