/** The Auth0 provider: users, and what the password and factor exports add to them. */
import { readFlags } from '../../lib/flag.ts';
import { chooseByEnding, type Provider } from '../source.ts';
import { auth0Flags, type Auth0Flags } from './flags.ts';
import type { Auth0Context, Auth0Options } from './options.ts';
import { createReader } from './read.ts';
import { readRoleKeys } from './roles.ts';
import { scanJoined } from './scan.ts';

/** `passwords` and `mfa` are the exports that Auth0's support sends. */
export const auth0: Provider<Auth0Options, Auth0Context> = {
  name: 'auth0',
  title: 'Auth0',
  readOptions(flags: Auth0Flags, { user, pbkdf2Encoding }) {
    const { id } = readFlags(auth0Flags, { ...flags });
    return { ...user, ids: id, pbkdf2Encoding };
  },
  choose: (folder, names) => chooseByEnding(folder, names, userFiles),
  scan: (inputs, _options, notify, { companions: { passwords = [], mfa = [] } = {}, ...aids } = {}) =>
    scanJoined(inputs, { passwords, mfa }, notify, aids),
  reader: createReader,
  // Roles are not in an export of users, but for what extensions and rules put into its metadata.
  roles: { read: async () => [], of: readRoleKeys, kindOf: () => 'own' },
};

const userFiles = ['.json', '.ndjson', '.jsonl', '.csv', '.tsv', '.gz'];
