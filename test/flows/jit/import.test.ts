/** `import-users --jit`: users without a password can log in at once, without an email that asks for a new one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startJitService } from '../../support/jit.ts';
import { runProgram } from '../../support/program.ts';

const hash = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';
const userOf = (userName: string, isEmailVerified: boolean, more: object = {}) => ({
  userId: `old-${userName}`,
  user: {
    userName,
    profile: { firstName: 'First', lastName: userName, gender: 'GENDER_FEMALE', preferredLanguage: 'de' },
    email: { email: `${userName}@example.org`, isEmailVerified },
    phone: { phone: '+41791234567', isPhoneVerified: true },
    ...more,
  },
});

it('creates users without a password as active, and emails only those whose address is not verified', async () => {
  const service = await startJitService();
  const humanUsers = [
    userOf('alice', true),
    userOf('bob', false, { otpCode: 'JBSWY3DPEHPK3PXP' }),
    userOf('carol', true, { hashedPassword: { value: hash } }),
  ];
  const body = { dataOrgs: { orgs: [{ orgId: service.orgId, humanUsers }] } };
  writeFileSync(join(service.cwd, 'body.json'), JSON.stringify(body));
  const env = { IDPORT_URL: service.url, IDPORT_TOKEN: service.token };
  const run = (...args: string[]) => runProgram(args, { cwd: service.cwd, env });

  const forecast = await run('check', 'body.json', '--jit', '--max-emails=0', '--target-profile=self-hosted');
  expect(forecast.exitCode).toBe(4);
  const checked = forecast.events.find((event) => event.type === 'run:end');
  expect(checked?.tally.emails).toEqual(new Map([['verify', 1]]));
  expect(checked?.tally.withoutPassword).toEqual(new Map([['first-login', 2]]));

  const more = ['--org', service.orgId, '--max-emails=1'];
  expect((await run('import-users', 'body.json', ...more)).exitCode).toBe(4);
  const imported = await run('import-users', 'body.json', ...more, '--jit');
  expect([imported.exitCode, imported.problem]).toEqual([0, undefined]);
  expect(imported.events.find((event) => event.type === 'run:end')?.tally.reasons.has('single:otp')).toBe(
    false,
  );
  const { body: found } = await service.call('POST /v2/users', {});
  const users = new Map<string, any>(found.result.map((user: any) => [user.username, user]));
  for (const [name, isVerified] of [
    ['alice', true],
    ['bob', false],
  ] as const) {
    const { state, human } = users.get(name);
    expect([state, human.email.isVerified ?? false]).toEqual(['USER_STATE_ACTIVE', isVerified]);
    expect(human.profile).toMatchObject({
      familyName: name,
      gender: 'GENDER_FEMALE',
      preferredLanguage: 'de',
    });
    const { body: methods } = await service.call(
      `GET /v2/users/${users.get(name).userId}/authentication_methods`,
    );
    expect(methods.authMethodTypes ?? []).toEqual(name === 'bob' ? ['AUTHENTICATION_METHOD_TYPE_TOTP'] : []);
    expect(human.phone).toEqual({ phone: '+41791234567', isVerified: true });
  }

  expect((await run('verify', 'body.json', '--jit', '--allow-extra')).exitCode).toBe(0);
  expect((await run('verify', 'body.json', '--allow-extra')).exitCode).toBe(4);
  // The next run takes them for unchanged.
  const again = ['--since-journal=body.json.users.journal', '--journal=second.journal'];
  const second = await run('import-users', 'body.json', ...more, ...again, '--jit');
  expect(second.exitCode).toBe(0);
  const end = second.events.find((event) => event.type === 'run:end');
  expect(end?.tally).toMatchObject({ written: 0, withNotes: 0, skipped: 3 });
});
