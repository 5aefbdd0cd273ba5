/** The options of a conversion from Auth0. */
import type { UserOptions } from '../../records/build-user.ts';
import type { Factors } from './join/factor-store.ts';
import type { JoinedPasswords } from './join/joined-passwords.ts';

export const auth0Defaults = { id: 'keep' } as const;

export interface Auth0Options extends UserOptions {
  /** `keep` carries `auth0|5f...` over as it is, `strip-prefix` only what stands behind the first `|`. */
  readonly ids: 'keep' | 'strip-prefix';
  /** For PBKDF2 in files for a bulk import. */
  readonly pbkdf2Encoding: 'padded' | 'ab64';
}

/** What other files know of the records of a batch; undefined where there are no such files. */
export interface Auth0Context {
  readonly joined: JoinedBatch | undefined;
}

export interface JoinedBatch {
  /** Records of the batch. */
  readonly count: number;
  /** Absent without password files. */
  readonly passwords?: JoinedPasswords;
  /** By place; absent without multi-factor files. */
  readonly factors?: ReadonlyMap<number, Factors>;
}
