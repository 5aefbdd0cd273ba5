/** `import-users --jit`: users without a password can log in at once, without an email that asks for a new one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { sha256Form, startJitService, writeUserList } from '../../support/jit.ts';
import { runProgram } from '../../support/program.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

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
  expect(forecast.exitCode).toBe(0);
  const checked = forecast.events.find((event) => event.type === 'run:end');
  expect(checked?.tally.emails).toEqual(new Map());
  expect(checked?.tally.signIn).toEqual(
    new Map([
      ['old-system', 2],
      ['password', 1],
    ]),
  );

  const more = ['--org', service.orgId, '--send-verification', '--max-emails=1'];
  expect((await run('import-users', 'body.json', ...more, '--jit', '--max-emails=0')).exitCode).toBe(4);
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
  // The next run takes them for unchanged.
  const again = ['--since-journal=body.json.users.journal', '--journal=second.journal'];
  const second = await run('import-users', 'body.json', ...more, ...again, '--jit');
  expect(second.exitCode).toBe(0);
  const end = second.events.find((event) => event.type === 'run:end');
  expect(end?.tally).toMatchObject({ written: 0, withNotes: 0, skipped: 3 });
});

it('the receiver finds users with new ids by the id map, also where two of the list have one name', async () => {
  const service = await startJitService();
  const body = { dataOrgs: { orgs: [{ orgId: service.orgId, humanUsers: [userOf('alice', true)] }] } };
  writeFileSync(join(service.cwd, 'body.json'), JSON.stringify(body));
  const env = { IDPORT_URL: service.url, IDPORT_TOKEN: service.token };
  const args = ['import-users', 'body.json', '--org', service.orgId, '--jit', '--ids=new'];
  expect((await runProgram(args, { cwd: service.cwd, env })).exitCode).toBe(0);
  // The other one is of an organization that is not imported here.
  writeUserList(service.cwd, [
    { id: 'old-alice', userName: 'alice', form: sha256Form('Old-Secret-1') },
    { id: 'other-alice', userName: 'alice', form: sha256Form('Old-Secret-2') },
  ]);
  const list = ['--id-map', 'body.json.ids.csv'];
  const receiver = await service.serve(
    ['--verifier', 'hashes:jit.ndjson', '--signing-key-file', 'jit.key'].concat(list),
  );
  await service.run(['setup', '--endpoint', receiver.url, '--signing-key-file', 'jit.key']);
  const before = await service.run(['remaining', '--users', 'jit.ndjson', ...list]);
  expect(before.out()).toMatch(/^[\da-f]{24} {2}alice {2}alice@example.org {2}active$/m);
  expect((await service.logIn('alice', 'Old-Secret-2')).status).toBe(400);
  expect((await service.logIn('alice', 'Old-Secret-1')).status).toBe(201);
  writeFileSync(join(service.cwd, 'ids.json'), '{}\n');
  writeFileSync(join(service.cwd, 'broken.csv'), 'old_id,new_id,state\na,1,created\nb"b,2,created\n');
  const refusalOf = (words: string): Promise<string> =>
    service
      .serve(`${words} --signing-key-file jit.key --journal x.journal`.split(' '))
      .then(() => '', String);
  expect(await refusalOf('--verifier hashes:jit.ndjson --id-map ids.json')).toContain(
    'ids.json is not an id map',
  );
  expect(await refusalOf('--verifier hashes:jit.ndjson --id-map broken.csv')).toContain(
    'broken.csv: the file is not CSV at line 3',
  );
  expect(await refusalOf('--verifier hashes:nowhere.ndjson')).toContain(
    'nowhere.ndjson: there is no such file',
  );
});
