/** Auth0 on the command line and in the library. */
import { choice, type Given } from '../../lib/flag.ts';
import type { Paths, ProviderEntry } from '../entry.ts';

export const auth0Flags = {
  id: choice('<rule>', 'what to do with user ids', ['keep', 'strip-prefix'], 'keep'),
};

/** Flags as given on the command line or by the library. */
export interface Auth0Flags extends Given<typeof auth0Flags> {
  readonly users: Paths;
  readonly passwords?: Paths;
  readonly mfa?: Paths;
}

export const auth0: ProviderEntry = {
  title: 'Auth0',
  description: 'users of Auth0, and the password and factor exports of its support',
  examples: [
    'idport migrate auth0 --org=165617389845094785 --users=users.ndjson.gz --passwords=passwords.ndjson',
    'idport migrate auth0 --org=1 --users=pages/ --passwords=passwords.ndjson --mfa=mfa.ndjson --report=report.json',
    'idport migrate auth0 --org=1 --users=users.csv --email-verified --idp=google-oauth2=286433410112716802',
  ],
  input: {
    name: 'users',
    description: 'users of Auth0: export job, API pages, CSV, bulk import file, or -',
  },
  companions: [
    {
      name: 'passwords',
      description: 'password export of Auth0 support',
      marks: [
        ['_id.$oid', 'passwordHash'],
        ['_ID.$oid', 'passwordHash'],
      ],
    },
    {
      name: 'mfa',
      description: 'multi-factor export of Auth0 support',
      marks: [
        ['user_id', 'type', 'tenant'],
        ['user_id', 'type', 'otp_secret'],
        ['user_id', 'type', 'recovery_code'],
      ],
    },
  ],
  flags: auth0Flags,
  marks: [
    ['user_id', 'identities'],
    ['user_id', 'email_verified'],
    ['user_id', 'connection'],
    ['user_id', 'nickname'],
    ['user_id', 'logins_count'],
    ['user_id', 'last_login'],
    ['user_id', 'email', 'name'],
    ['identities.connection', 'identities.provider'],
    ['email', 'custom_password_hash'],
    ['_id.$oid', 'passwordHash'],
    ['_ID.$oid', 'passwordHash'],
  ],
  nameFallback: 'full-name',
  load: async () => (await import('./provider.ts')).auth0,
};
