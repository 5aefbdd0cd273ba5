/** The flags of Keycloak, as a user or the library gives them. */
import type { Paths } from '../entry.ts';

export interface KeycloakFlags {
  readonly realm: Paths;
  /** Which realm, where an input holds several. */
  readonly realmName?: string;
  /** The attribute that is tried first for the phone: `telephoneNumber` of LDAP. */
  readonly phoneAttribute?: string;
  readonly serviceAccounts?: 'skip' | 'machine-users';
  readonly otpSecret?: 'raw' | 'base32' | 'auto';
  /** Of `migrate`: with `realm` all realms are read. */
  readonly orgBy?: string;
  /** Of `migrate`: roles and groups become roles of a project. */
  readonly roles?: string;
}
