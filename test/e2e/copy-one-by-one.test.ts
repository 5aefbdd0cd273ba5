/** The copy of an organization whose users are created one call each, as docs/export.md says it. */
import { expect, it } from 'vitest';
import { createHastyClock } from '../support/clock.ts';
import { openWorkspace, succeeded } from '../support/workspace.ts';
import { comparable, hash, richOrg } from '../support/rich-org.ts';

it('a copy by import-users keeps every id and sends no email to unverified addresses', async () => {
  const to = await openWorkspace({ domain: 'other.example' });
  const from = await openWorkspace();
  await from.server.seed({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a', 8)] }, timeout: '1m' });
  const created = await from.call('POST /v2/users/new', {
    organizationId: '100',
    userId: 'a-unverified',
    username: 'a-unverified',
    human: {
      profile: { givenName: 'Ada', familyName: 'Unverified' },
      email: { email: 'unverified@acme.example', isVerified: false },
      hashedPassword: { hash },
      totpSecret: 'JBSWY3DPEHPK3PXP',
    },
  });
  expect(created.status).toBe(200);

  const whole = '--org=100 --with-passwords --with-otp';
  const steps = [
    `export ${from.flags.join(' ')} ${whole} --output=export.json`,
    'import export.json --skip=users,members',
    'check export.json',
    'import-users export.json --org=body',
    'import export.json --skip=users',
    `export ${whole} --output=again.json`,
  ];
  for (const step of steps) {
    const clock = createHastyClock(() => to.server.settled());
    await succeeded(to.run(step, { clock }));
  }
  const read = (name: string): Record<string, any> => to.json(name).orgs[0];
  expect(comparable(read('again.json'))).toEqual(comparable(read('export.json')));
  const { store, recent } = to.server.state;
  expect(store.users.get('a-unverified')).toMatchObject({ status: 'active', emailVerified: false });
  expect(read('again.json')['humanUsers']).toHaveLength(9);
  expect(recent.notifications.total).toBe(0);
});
