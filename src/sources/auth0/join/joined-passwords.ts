/** The join's result for the users of a batch, small enough to be sent to another thread. */
import { unpackBcrypt, packedWords } from './packed-bcrypt.ts';

export const verdicts = ['none', 'joined', 'conflict', 'ambiguous'] as const;
export type Verdict = (typeof verdicts)[number];

/** By place in the batch. */
export interface JoinedPasswords {
  /** Index into `verdicts`. */
  readonly verdicts: Uint8Array;
  /** Packed; secret. Zeros where there is none. */
  readonly hashes: Uint32Array;
  /** Those that are no bcrypt strings, as their lines have them; secret. */
  readonly others: ReadonlyMap<number, string>;
}

export function verdictAt(joined: JoinedPasswords, place: number): Verdict {
  return verdicts[joined.verdicts[place] ?? 0] ?? 'none';
}

/** The hash as its line had it; only where the verdict is `joined`. `isBcrypt` spares a second look at it. */
export function passwordAt(
  { hashes, others }: JoinedPasswords,
  place: number,
): { readonly hash: string; readonly isBcrypt: boolean } {
  const other = others.get(place);
  if (other !== undefined) return { hash: other, isBcrypt: false };
  return { hash: unpackBcrypt(hashes, place * packedWords), isBcrypt: true };
}
