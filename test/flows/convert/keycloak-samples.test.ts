/** Real exports of others: what the index of the samples says of each. Skipped, visibly, where there are none. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../../../src/records/mcf/algorithm.ts';
import { verifyPassword } from '../../../src/records/mcf/verify.ts';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';
import { samplePath, verifiedUsers } from '../../support/samples.ts';

interface Body {
  readonly dataOrgs: { readonly orgs: readonly [{ readonly humanUsers: readonly HumanUser[] }] };
}

interface HumanUser {
  readonly userId: string;
  readonly user: {
    readonly userName: string;
    readonly email: { readonly email: string };
    readonly hashedPassword?: { readonly value: string };
    readonly otpCode?: string;
  };
}

async function convert(
  sample: string,
  ...flags: readonly string[]
): Promise<Ran & { users: readonly HumanUser[] }> {
  const folder = createTestFolder();
  const path = samplePath(`keycloak/${sample}`) ?? '';
  const ran = await runProgram(
    ['migrate', 'keycloak', '--org=1', `--realm=${path}`, '--output=body.json', ...flags],
    { cwd: folder },
  );
  if (ran.problem !== undefined) return { ...ran, users: [] };
  const body = JSON.parse(readFileSync(join(folder, 'body.json'), 'utf8')) as Body;
  return { ...ran, users: body.dataOrgs.orgs[0].humanUsers };
}

const endOf = (ran: Ran): Extract<Ran['events'][number], { type: 'run:end' }> | undefined =>
  ran.events.find((event) => event.type === 'run:end');

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
    const { users } = await convert(input, `--realm-name=${realm}`, ...everyUser);
    const hash = users.find((found) => found.user.userName === user)?.user.hashedPassword?.value ?? '';
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
    expect(ran.users.map(({ user }) => user.hashedPassword)).toEqual([undefined, undefined]);
    expect(endOf(ran)?.tally.reasons.get('password:parameters-out-of-limits')).toBe(2);
    expect(ran.exitCode).toBe(0);
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
    const codes = ran.users.map(({ user }) => user.otpCode).filter((code) => code !== undefined);
    expect(codes).toContain('IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB');
    expect(endOf(ran)?.tally.reasons.get('otp:extra')).toBe(1);
  });

  it.each([
    ['kc-test-otp-realm.json', 9],
    ['kc-duplicate-emails.json', 3],
  ])('with passwords in plain text (%s) comes with bcrypt hashes that accept them', async (sample, count) => {
    const { users } = await convert(sample);
    const raw = JSON.parse(readFileSync(samplePath(`keycloak/${sample}`) ?? '', 'utf8')) as {
      users: { username: string; credentials: { type: string; value?: string }[] }[];
    };
    expect(users).toHaveLength(count);
    for (const { username, credentials } of raw.users) {
      const plain = credentials.find(({ type }) => type.toLowerCase() === 'password')?.value ?? '';
      const hash = users.find(({ user }) => user.userName === username)?.user.hashedPassword?.value ?? '';
      expect(hash).toMatch(/^\$2b\$10\$.{53}$/);
      expect(await verifyPassword(hash, plain)).toBe(true);
    }
  });

  it('without ids gives the same ids every time, and leaves the service accounts out', async () => {
    const first = await convert('kc-strimzi-kafka-authz-no-ids.json');
    const second = await convert('kc-strimzi-kafka-authz-no-ids.json');
    expect(first.users).toHaveLength(3);
    expect(first.users.map(({ userId }) => userId)).toEqual(second.users.map(({ userId }) => userId));
    expect(new Set(first.users.map(({ userId }) => userId)).size).toBe(3);
    expect(endOf(first)?.tally).toMatchObject({ read: 25, skipped: 22, rejected: 0 });
  });

  it('never carries a hash that the table of algorithms does not know', async () => {
    const { users } = await convert('kc-22.0.1-collectivo-sha256-32.json');
    for (const { user } of users) {
      const verdict = await verifyPassword(user.hashedPassword?.value ?? '', 'not it');
      expect(typeof verdict === 'object' && isProblem(verdict)).toBe(false);
    }
  });
});
