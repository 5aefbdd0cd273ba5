/** The copy of an organization whose users are created one call each, as docs/export.md says it. */
import { expect, it } from 'vitest';
import { createHastyClock } from '../support/clock.ts';
import { openWorkspace, succeeded } from '../support/workspace.ts';
import { comparable, hash, richOrg } from '../support/rich-org.ts';
import { sampleUser } from '../support/users-run.ts';

it('a copy by import-users keeps every id and sends no email to unverified addresses', async () => {
  const to = await openWorkspace({ domain: 'other.example' });
  const from = await openWorkspace();
  // The names of users are their own, so a user of the other organization has the same.
  const own = (orgId: string) => ({ orgId, domainPolicy: { orgId, userLoginMustBeDomain: true } });
  const other = (userId: string) => ({
    ...own('100x'),
    org: { name: 'Globex' },
    orgState: 'ORG_STATE_INACTIVE',
    humanUsers: [sampleUser('a-user-0', {}, { userId })],
  });
  const orgs = [{ ...richOrg('100', 'Acme', 'a', 8), ...own('100') }, other('b')];
  await from.server.seed({ dataOrgs: { orgs }, timeout: '1m' });
  await from.call('POST /v2/users/new', {
    organizationId: '100',
    userId: 'a-unverified',
    username: 'xa-user-0',
    human: {
      profile: { givenName: 'Ada', familyName: 'Unverified' },
      email: { email: 'unverified@acme.example', isVerified: false },
      hashedPassword: { hash },
      totpSecret: 'JBSWY3DPEHPK3PXP',
    },
  });

  const whole = '--org=100,100x --with-passwords --with-otp';
  const steps = [
    `export ${from.flags.join(' ')} ${whole} --output=export.json`,
    'import export.json --skip=users,members',
    'check export.json',
    'import-users export.json --org=body',
    'import export.json --skip=users',
    'verify export.json --org=body',
    `export ${whole} --output=again.json`,
  ];
  const clock = createHastyClock(() => to.server.settled());
  for (const step of steps) await succeeded(to.run(step, { clock }));
  const read = (name: string): object[] => to.json(name).orgs.map(comparable);
  expect(read('again.json')).toEqual(read('export.json'));
  to.write('other.json', { orgs: [other('c')] });
  to.write('third.json', { orgs: [{ ...other('c'), ...own('300') }] });
  to.write('bad.json', { orgs: [{ ...other(''), humanUsers: [{}] }] });
  const codes = {
    'check other.json': 4,
    'check third.json --org=100': 4,
    'verify third.json --org=100x': 0,
    'import-users bad.json --org=body --rejects=r.json': 3,
    'import-users r.json --org=body': 3,
  };
  for (const [step, code] of Object.entries(codes)) expect((await to.run(step)).exitCode).toBe(code);
  expect(to.read('r.json')).toContain('"idport:org":{"userLoginMustBeDomain":true,');
  const { store, recent } = to.server.state;
  expect(store.users.get('a-unverified')).toMatchObject({ status: 'active', emailVerified: false });
  expect(recent.notifications.total).toBe(0);
});
