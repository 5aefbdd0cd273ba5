/** The flags of Auth0, as a user or the library gives them. */
import type { Paths } from '../entry.ts';

export interface Auth0Flags {
  readonly users: Paths;
  readonly passwords?: Paths;
  readonly mfa?: Paths;
  readonly id?: 'keep' | 'strip-prefix';
}
