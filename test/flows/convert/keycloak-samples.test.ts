/** Real exports of others: what the index of the samples says of each. Skipped, visibly, where there are none. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { convertFiles } from '../../support/conversion.ts';
import { samplePath, verifiedUsers } from '../../support/samples.ts';

const convert = (sample: string, ...flags: readonly string[]) => {
  const path = samplePath(`keycloak/${sample}`) ?? '';
  return convertFiles(['migrate', 'keycloak', '--org=1', `--realm=${path}`, ...flags]);
};

const everyUser = ['--on-refused-hash=keep', '--email-fallback=placeholder', '--email-domain=example.org'];
const rows = verifiedUsers();

describe.skipIf(rows.length === 0)('the hash of a user in a sample export (needs the samples)', () => {
  it('is known for 21 users', () => {
    expect(rows).toHaveLength(21);
  });

  it.each(rows)('of $user in $file ($algorithm) is converted so that the password matches', async (row) => {
    const { file = '', realm = '', user, password, mcf } = row;
    const sample = file.replace(/^keycloak\//, '');
    // The file of a folder export is read with its folder.
    const input = sample.startsWith('dir-') ? dirname(sample) : sample;
    const { users } = await convert(input, `--realm-name=${realm}`, ...everyUser);
    const found = users.find((one) => one.user.userName === user);
    const hash = found?.user['hashedPassword']?.value ?? '';
    expect(hash.replace(/=+(?=\$|$)/g, '')).toBe(mcf);
    expect(await verifyPassword(hash, password)).toBe(true);
    expect(await verifyPassword(hash, `${password}x`)).toBe(false);
  });
});
