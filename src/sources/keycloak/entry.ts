/** Keycloak on the command line and in the library. */
import type { ProviderEntry } from '../entry.ts';
import { fileNames, keycloakDefaults } from './options.ts';

export const keycloak: ProviderEntry = {
  title: 'Keycloak',
  description: 'a realm export of Keycloak: file, folder, several paths, or - for standard input',
  examples: [
    'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
    'idport migrate keycloak --org=1 --realm=export/ --report=report.md --rejects=rejects.ndjson',
    'zcat realm.json.gz | idport migrate keycloak --org=1 --realm=- --output=- | jq',
  ],
  input: { name: 'realm', description: 'realm export of Keycloak: file, folder, several paths, or -' },
  companions: [],
  flags: [
    { flag: '--realm-name <name>', description: 'which realm, where the input holds several' },
    {
      flag: '--phone-attribute <name>',
      description: 'attribute with the phone number, tried before the usual ones (telephoneNumber)',
    },
    {
      flag: '--service-accounts <rule>',
      description: 'what becomes of service accounts',
      choices: ['skip', 'machine-users'],
      default: keycloakDefaults.serviceAccounts,
    },
    {
      flag: '--otp-secret <form>',
      description: 'how TOTP secrets are stored',
      choices: ['raw', 'base32', 'auto'],
      default: keycloakDefaults.otpSecret,
    },
  ],
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
