/** The Auth0 provider: users, and what the password and factor exports add to them. */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Provider } from '../source.ts';
import { auth0Defaults, type Auth0Flags } from './entry.ts';
import type { Auth0Context, Auth0Options } from './options.ts';
import { createReader } from './read.ts';
import { scanJoined } from './scan.ts';

/** `passwords` and `mfa` are the exports that Auth0's support sends. */
export const auth0: Provider<Auth0Options, Auth0Context> = {
  name: 'auth0',
  title: 'Auth0',
  readOptions(flags: Auth0Flags, { user, pbkdf2Encoding }) {
    const { emailVerified: text, id } = { ...auth0Defaults, ...flags };
    const emailVerified = checkEmailVerified(text);
    if (user.assumeEmailVerified && emailVerified === false) {
      throw new UsageError('--assume-email-verified and --email-verified=false contradict each other', {
        hint: 'Leave out one of them; without both, every address is what Auth0 says of it.',
      });
    }
    return { ...user, emailVerified, ids: id, pbkdf2Encoding };
  },
  choose: chooseFiles,
  scan: (inputs, _options, notify, { companions: { passwords = [], mfa = [] } = {}, pool } = {}) =>
    scanJoined(inputs, { passwords, mfa }, notify, pool),
  reader: createReader,
};

function checkEmailVerified(value: boolean | string | undefined): boolean | undefined {
  if (typeof value !== 'string') return value;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`--email-verified=${value} is neither true nor false`, {
    hint: 'Leave the flag out to carry over what Auth0 says of each address.',
  });
}

const userFiles = new Set(['.json', '.ndjson', '.jsonl', '.csv', '.tsv', '.gz']);

/** Pages or of parts of an export, in the order of their numbers. */
function chooseFiles(folder: string, names: readonly string[]): readonly string[] {
  const chosen = names.filter((name) => userFiles.has(extname(name).toLowerCase()));
  if (chosen.length === 0) {
    throw new UsageError(`${folder}: the folder holds no export of users`, {
      hint: 'Expected files that end in .json, .ndjson, .jsonl, .csv, .tsv or .gz.',
    });
  }
  return chosen.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}
