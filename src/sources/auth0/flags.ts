/** The flags of Auth0, as a user or the library gives them. */
import { choice, type Given } from '../../lib/flag.ts';
import type { Paths } from '../entry.ts';

export const auth0Flags = {
  id: choice('<rule>', 'what becomes of the user id', ['keep', 'strip-prefix'], 'keep'),
};

export interface Auth0Flags extends Given<typeof auth0Flags> {
  readonly users: Paths;
  readonly passwords?: Paths;
  readonly mfa?: Paths;
}
