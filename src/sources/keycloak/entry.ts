/** Keycloak on the command line and in the library. */
import type { ProviderEntry } from '../entry.ts';
import { keycloakFlags } from './flags.ts';
import { fileNames } from './options.ts';

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
    ['realm', 'clients'],
    ['realm', 'sslRequired'],
    ['spec.realm.realm'],
    ['username', 'credentials'],
    ['username', 'requiredActions'],
    ['username', 'realmRoles'],
    ['username', 'createdTimestamp'],
    ['username', 'disableableCredentialTypes'],
    ['username', 'enabled', 'emailVerified'],
    /^kind:\s*"?KeycloakRealmImport/m,
    /^realm:\s/m,
  ],
  fileNames,
  realms: true,
  nameFallback: 'username',
  load: async () => (await import('./provider.ts')).keycloak,
};
