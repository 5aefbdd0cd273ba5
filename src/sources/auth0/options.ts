/** The options of a conversion from Auth0. */
import type { UserOptions } from '../../records/build-user.ts';
import type { Factor } from './mfa.ts';

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

/** By place. */
export interface JoinedBatch {
  /** Empty without one; secret. Absent without password files. */
  readonly hashes?: readonly string[];
  /** Why there is no hash although there are lines. */
  readonly refusals: ReadonlyMap<number, 'conflict' | 'ambiguous'>;
  readonly factors: ReadonlyMap<number, readonly Factor[]>;
}
