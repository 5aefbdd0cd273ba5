import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { convertFiles } from '../../support/conversion.ts';
import { samplePath } from '../../support/samples.ts';

const sample = (name: string) => samplePath(`auth0/${name}`) ?? '';
const convert = (users: string, ...flags: readonly string[]) =>
  convertFiles(['migrate', 'auth0', '--org=123', `--users=${sample(users)}`, ...flags]);

it.skipIf(sample('peer-zt-users.ndjson') === '')(
  'migrate auth0 writes the same body as the vendor converter with --email-verified (needs the samples)',
  async () => {
    const flags = [`--passwords=${sample('peer-zt-passwords.ndjson')}`];
    const body = (await convert('peer-zt-users.ndjson', ...flags, '--email-verified')).json(
      'importBody.json',
    );
    expect(body).toEqual(JSON.parse(readFileSync(sample('peer-zt-referenceOutput.json'), 'utf8')));
    const { users } = await convert('peer-zt-users.ndjson', ...flags);
    const verified = users.map(({ user }) => user['email'].isEmailVerified ?? false);
    expect(verified).toEqual([true, false, false, true, true]);
  },
);
