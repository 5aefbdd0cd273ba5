/** Real exports of others: what the index of the samples says of each. Skipped, visibly, where there are none. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { type Converted, convertFiles } from '../../support/conversion.ts';
import { samplePath, verifiedUsers } from '../../support/samples.ts';

const convert = (sample: string, ...flags: readonly string[]): Promise<Converted> => {
  const path = samplePath(`keycloak/${sample}`) ?? '';
  return convertFiles(['migrate', 'keycloak', '--org=1', `--realm=${path}`, ...flags]);
};

const hashOf = ({ users }: Converted, name: string): string =>
  users.find(({ user }) => user.userName === name)?.user['hashedPassword']?.value ?? '';

const everyUser = ['--on-refused-hash=keep', '--email-fallback=placeholder', '--email-domain=example.org'];
const rows = verifiedUsers();

describe.skipIf(rows.length === 0)('a hash of a real export (needs the samples)', () => {
  it('is there 21 times', () => {
    expect(rows).toHaveLength(21);
  });

  it.each(rows)('of $user in $file ($algorithm) comes out so that the password matches', async (row) => {
    const { file = '', realm = '', user, password, mcf } = row;
    const sample = file.replace(/^keycloak\//, '');
    // The file of a folder export is read with its folder.
    const input = sample.startsWith('dir-') ? dirname(sample) : sample;
    const hash = hashOf(await convert(input, `--realm-name=${realm}`, ...everyUser), user ?? '');
    expect(hash.replace(/=+(?=\$|$)/g, '')).toBe(mcf);
    expect(await verifyPassword(hash, password)).toBe(true);
    expect(await verifyPassword(hash, `${password}x`)).toBe(false);
  });

  it('that the target would refuse is left out with --on-refused-hash drop, and its user is counted', async () => {
    const ran = await convert(
      'kc-mellon-realm-iter1.json',
      '--target-profile=all-verifiers',
      '--on-refused-hash=drop',
      '--email-fallback=placeholder',
      '--email-domain=x.org',
    );
    expect(ran.users.map(({ user }) => user['hashedPassword'])).toEqual([undefined, undefined]);
    expect(ran).toMatchObject({ exitCode: 0, reasons: { 'password:parameters-out-of-limits': 2 } });
  });
});

describe.skipIf(samplePath('INDEX.md') === undefined)('a real export (needs the samples)', () => {
  it.each([
    ['kc-9.0.3-migration-realms.json', ['Migration', 'master']],
    ['dir-yo1000', ['saml-test', 'master']],
  ])('with users in several realms (%s) asks for a choice', async (sample, realms) => {
    const { problem, exitCode } = await convert(sample);
    for (const realm of realms) expect(problem?.message).toContain(`"${realm}"`);
    expect(problem?.hint).toContain('--realm-name');
    expect(exitCode).toBe(2);
  });

  it('with raw one-time password secrets carries one a user, as base32', async () => {
    const ran = await convert('kc-test-otp-realm.json');
    expect(ran.users.map(({ user }) => user['otpCode'])).toContain('IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB');
    expect(ran.reasons['otp:extra']).toBe(1);
  });

  it.each([
    ['kc-test-otp-realm.json', 9],
    ['kc-duplicate-emails.json', 3],
  ])('with passwords in plain text (%s) comes with bcrypt hashes that accept them', async (sample, count) => {
    const ran = await convert(sample);
    const raw = JSON.parse(readFileSync(samplePath(`keycloak/${sample}`) ?? '', 'utf8')) as {
      users: { username: string; credentials: { type: string; value?: string }[] }[];
    };
    expect(ran.users).toHaveLength(count);
    for (const { username, credentials } of raw.users) {
      const plain = credentials.find(({ type }) => type.toLowerCase() === 'password')?.value ?? '';
      const hash = hashOf(ran, username);
      expect(hash).toMatch(/^\$2b\$10\$.{53}$/);
      expect(await verifyPassword(hash, plain)).toBe(true);
    }
  });

  it('without ids gives the same ids every time, and leaves the service accounts out', async () => {
    const first = await convert('kc-strimzi-kafka-authz-no-ids.json');
    const second = await convert('kc-strimzi-kafka-authz-no-ids.json');
    expect(first.ids).toEqual(second.ids);
    expect(new Set(first.ids).size).toBe(3);
    expect(first.tally).toMatchObject({ read: 25, skipped: 22, rejected: 0 });
  });
});
