/** The copy of an organization whose users are created one call each, as docs/export.md says it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { createHastyClock } from '../support/clock.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';
import { comparable, hash, richOrg } from '../support/rich-org.ts';

it('has everything under its old id, and sends no email to unverified addresses', async () => {
  const cwd = createTestFolder();
  const from = await startInstance(cwd, 'from');
  const to = await startInstance(cwd, 'to', { domain: 'other.example' });
  onTestFinished(async () => void (await Promise.all([from.close(), to.close()])));
  const run = (...argv: string[]) =>
    runProgram(argv, { cwd, clock: createHastyClock(() => to.server.settled()) });
  await from.server.seed({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a', 8)] }, timeout: '1m' });
  const created = await fetch(`${from.url}/v2/users/new`, {
    method: 'POST',
    headers: { authorization: `Bearer ${from.server.tokens.iamOwner}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      organizationId: '100',
      userId: 'a-unverified',
      username: 'a-unverified',
      human: {
        profile: { givenName: 'Ada', familyName: 'Unverified' },
        email: { email: 'unverified@acme.example', isVerified: false },
        hashedPassword: { hash },
        totpSecret: 'JBSWY3DPEHPK3PXP',
      },
    }),
  });
  expect(created.ok).toBe(true);

  const whole = ['--org=100', '--with-passwords', '--with-otp'];
  const steps = [
    ['export', ...from.flags, ...whole, '--output=export.json'],
    ['import', 'export.json', '--skip=users,members', ...to.flags],
    ['import-users', 'export.json', '--org=body', ...to.flags],
    ['import', 'export.json', '--skip=users', ...to.flags],
    ['export', ...to.flags, ...whole, '--output=again.json'],
  ];
  for (const step of steps) {
    const { problem, exitCode } = await run(...step);
    expect([step[0], problem, exitCode]).toEqual([step[0], undefined, 0]);
  }
  const read = (name: string): Record<string, any> =>
    JSON.parse(readFileSync(join(cwd, name), 'utf8')).orgs[0];
  expect(comparable(read('again.json'))).toEqual(comparable(read('export.json')));
  const { users, notifications } = to.server.state.store;
  expect(users.get('a-unverified')).toMatchObject({ status: 'active', emailVerified: false });
  expect(read('again.json')['humanUsers']).toHaveLength(9);
  expect(notifications.size).toBe(0);
});
