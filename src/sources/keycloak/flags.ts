/** The flags of Keycloak, as a user or the library gives them. */
import { choice, type Given, text } from '../../lib/flag.ts';
import type { Paths } from '../entry.ts';

export const keycloakFlags = {
  realmName: text('<name>', 'which realm, where the input holds several'),
  phoneAttribute: text(
    '<name>',
    'attribute with the phone number, tried before the usual ones (telephoneNumber)',
  ),
  serviceAccounts: choice('<rule>', 'what becomes of service accounts', ['skip', 'machine-users'], 'skip'),
  otpSecret: choice('<form>', 'how TOTP secrets are stored', ['raw', 'base32', 'auto'], 'raw'),
};

export interface KeycloakFlags extends Given<typeof keycloakFlags> {
  readonly realm: Paths;
  /** Of `migrate`: with `realm` all realms are read. */
  readonly orgBy?: string;
  /** Of `migrate`: roles and groups become roles of a project. */
  readonly roles?: string;
}
