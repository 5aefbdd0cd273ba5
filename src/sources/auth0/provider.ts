/** The Auth0 provider: users are read by a mapping, and its support's password and factor exports add to them. */
import { readFlags } from '../../lib/flag.ts';
import { chooseByEnding, type Provider } from '../source.ts';
import { createReader } from '../table/mapping/reader.ts';
import type { TableOptions } from '../table/mapping/schema.ts';
import { readTableOptions } from '../table/provider.ts';
import { auth0Flags, type Auth0Flags } from './entry.ts';
import { type JoinedBatch, prepareUser, readRoleKeys } from './prepare.ts';
import { scanJoined } from './scan.ts';

export const auth0: Provider<TableOptions, JoinedBatch> = {
  async readOptions(flags: Auth0Flags, shared) {
    const { id } = readFlags(auth0Flags, { ...flags });
    const options = await readTableOptions('auth0', {}, shared);
    if (id === 'keep') return options;
    const { mapping } = options;
    // oxlint-disable-next-line unicorn/no-thenable -- a key of mappings; nothing awaits this object.
    const user = { ...mapping.user, id: { from: 'user_id', then: [{ after: '|' }] } };
    return { ...options, mapping: { ...mapping, user } };
  },
  choose: (folder, names) => chooseByEnding(folder, names, userFiles),
  scan: (inputs, _options, notify, { companions: { passwords = [], mfa = [] } = {}, ...aids } = {}) =>
    scanJoined(inputs, { passwords, mfa }, notify, aids),
  reader: (options) => createReader(options, prepareUser),
  // An export of users has no roles, except for what extensions and rules put into its metadata.
  roles: { read: async () => [], of: readRoleKeys, kindOf: () => 'own' },
};

const userFiles = ['.json', '.ndjson', '.jsonl', '.csv', '.tsv', '.gz'];
