/** Keycloak on the command line and in the library. */
import { choice, type Given, text } from '../../lib/flag.ts';
import type { Paths, ProviderEntry } from '../entry.ts';

export const keycloakFlags = {
  realmName: text('<name>', 'realm to read, if the input has several'),
  phoneAttribute: text(
    '<name>',
    'attribute with the phone number, tried before the usual ones (telephoneNumber)',
  ),
  serviceAccounts: choice('<rule>', 'what to do with service accounts', ['skip', 'machine-users'], 'skip'),
  otpSecret: choice('<form>', 'how TOTP secrets are stored', ['raw', 'base32', 'auto'], 'raw'),
};

export interface KeycloakFlags extends Given<typeof keycloakFlags> {
  readonly realm: Paths;
  /** Flag of `migrate`. With `realm`, all realms are read. */
  readonly orgBy?: string;
  /** Flag of `migrate`. Roles and groups become roles of a project. */
  readonly roles?: string;
}

export const keycloak: ProviderEntry = {
  title: 'Keycloak',
  description: 'a realm export of Keycloak: file, folder, several paths, or - for standard input',
  examples: [
    'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
    'idport migrate keycloak --org=1 --realm=export/ --report=report.md --rejects=rejects.ndjson',
    'idport migrate keycloak --org=1 --database=postgres://idport@db.example.org/keycloak --realm-name=orchard',
    'zcat realm.json.gz | idport migrate keycloak --org=1 --realm=- --output=- | jq',
  ],
  input: { name: 'realm', description: 'realm export of Keycloak: file, folder, several paths, or -' },
  companions: [],
  live: 'database',
  flags: keycloakFlags,
  marks: [
    ['realm', 'users'],
    ['realm', 'federatedUsers'],
    ['realm', 'enabled'],
    ['username', 'credentials'],
    ['username', 'realmRoles'],
    ['username', 'createdTimestamp'],
    /\bkind\W+Keycloak/,
    /^realm:\s/m,
  ],
  realms: true,
  nameFallback: 'username',
  load: async () => (await import('./provider.ts')).keycloak,
};
