/** The second factors of a segment of users, packed: about 12 bytes a factor besides its text. */
import type { MfaLine } from './mfa-line.ts';

export interface Factors {
  /** Base32; secret. */
  readonly otpSecrets: readonly string[];
  /** Hashes; secret. */
  readonly recoveryCodes: readonly string[];
  /** Names of factors that are neither. */
  readonly others: readonly string[];
}

const kinds = ['otp', 'recovery-code', 'other'] as const;
/** Before the text: where the user's factor before this one stands, plus 1 (4 bytes), its kind (1), its length (2). */
const headBytes = 7;
const maxText = 0xffff;

export class FactorStore {
  readonly #start: number;
  readonly #last: Uint32Array;
  #bytes = Buffer.alloc(4096);
  #used = 0;

  /** For the slots from `start` to `end`, the latter not included. */
  constructor(start: number, end: number) {
    this.#start = start;
    this.#last = new Uint32Array(end - start);
  }

  add(slot: number, { kind, value }: MfaLine): void {
    const text = Buffer.from(value, 'utf8').subarray(0, maxText);
    this.#reserve(headBytes + text.length);
    const at = this.#used;
    this.#bytes.writeUInt32LE(this.#last[slot - this.#start]!, at);
    this.#bytes[at + 4] = kinds.indexOf(kind);
    this.#bytes.writeUInt16LE(text.length, at + 5);
    this.#bytes.set(text, at + headBytes);
    this.#used += headBytes + text.length;
    this.#last[slot - this.#start] = at + 1;
  }

  /** In the order of their lines; undefined for a user without any. */
  get(slot: number): Factors | undefined {
    let at = this.#last[slot - this.#start]! - 1;
    if (at === -1) return undefined;
    const factors = { otp: [] as string[], 'recovery-code': [] as string[], other: [] as string[] };
    while (at !== -1) {
      const kind = kinds[this.#bytes[at + 4]!] ?? 'other';
      const length = this.#bytes.readUInt16LE(at + 5);
      factors[kind].unshift(this.#bytes.toString('utf8', at + headBytes, at + headBytes + length));
      at = this.#bytes.readUInt32LE(at) - 1;
    }
    return { otpSecrets: factors.otp, recoveryCodes: factors['recovery-code'], others: factors.other };
  }

  /** By place, for the users from `start` to `end` who have any. */
  slice(start: number, end: number): ReadonlyMap<number, Factors> {
    const found = new Map<number, Factors>();
    for (let slot = start; slot < end; slot++) {
      const factors = this.get(slot);
      if (factors !== undefined) found.set(slot - start, factors);
    }
    return found;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return;
    const wider = Buffer.alloc(Math.max(this.#used + bytes, 2 * this.#bytes.length));
    this.#bytes.copy(wider, 0, 0, this.#used);
    this.#bytes = wider;
  }
}
