/** What previous runs have left of each user, in 24 bytes a user. */
import { createGrowableMemory } from '../../compact/growable-memory.ts';

export interface PreviousState {
  /** Whether the record still has this fingerprint. */
  isStill(fingerprint: string): boolean;
  /** At the target, where the run created the user and the service chose the id; else empty. */
  readonly id: string;
  /** When the request was sent that created the user, on the service's clock in milliseconds; else undefined. */
  readonly createdSince: number | undefined;
}

export interface PreviousUser {
  readonly fingerprint: string;
  readonly id: string;
  readonly createdSince: number | undefined;
}

/** Fingerprint, id, time. */
const words = 3;
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

  set(place: number, { fingerprint, id, createdSince }: PreviousUser): void {
    if (place >= this.#places) this.#grow(place + 1);
    const isNumber = numeric.test(id);
    this.#numbers[words * place] = toNumber(fingerprint);
    this.#numbers[words * place + 1] = isNumber ? BigInt(id) : 0n;
    this.#times[words * place + 2] = createdSince ?? NaN;
    if (isNumber || id === '') this.#otherIds.delete(place);
    else this.#otherIds.set(place, id);
  }

  /** The user is not there any more. */
  remove(place: number): void {
    this.set(place, { fingerprint: '', id: '', createdSince: removed });
  }

  get(place: number): PreviousState | undefined {
    const known = this.#numbers[words * place];
    const id = this.#numbers[words * place + 1] ?? 0n;
    const since = this.#times[words * place + 2] ?? NaN;
    if (since === removed) return undefined;
    return {
      isStill: (fingerprint) => toNumber(fingerprint) === known,
      id: id === 0n ? (this.#otherIds.get(place) ?? '') : String(id),
      createdSince: Number.isNaN(since) ? undefined : since,
    };
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
