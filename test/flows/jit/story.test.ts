import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { addressRule, userRule } from '../../../src/flows/jit/guess-limits.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { signatureHeader, signBody } from '../../../src/wire/signature.ts';
import { startOldSystem } from '../../support/old-system.ts';
import { sha256Form, startJitService, writeUserList } from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

const password = 'Old-Secret-1';

async function startStory(names: readonly string[], clock?: Clock, more: readonly string[] = []) {
  const service = await startJitService();
  for (const name of names) await service.addUser(name);
  writeUserList(
    service.cwd,
    names.map((name) => ({ id: name, userName: name, form: sha256Form(password) })),
  );
  const receiver = await service.serve(
    ['--verifier', 'hashes:jit.ndjson', '--signing-key-file', 'jit.key', ...more],
    clock,
  );
  const setup = await service.run(['setup', '--endpoint', receiver.url, '--signing-key-file', 'jit.key']);
  expect(setup.exitCode).toBe(0);
  return { service, receiver };
}

it('the first login with the old password succeeds, in one step and in two, and the next ones without the receiver', async () => {
  const { service, receiver } = await startStory(['alice', 'bob', 'carol']);
  expect((await service.logIn('alice', 'wrong')).status).toBe(400);
  expect((await service.logIn('alice', password)).status).toBe(201);
  expect((await service.logInByTwoSteps('bob', password)).status).toBe(200);
  expect((await service.logInByTwoSteps('carol', 'wrong')).status).toBe(400);

  const status = await service.run(['status', '--users', 'jit.ndjson']);
  expect(status.exitCode).toBe(0);
  expect(status.out()).toContain('2 users of 3 migrated');
  expect(status.out()).toContain('1 not yet; for a list: idport jit remaining --users jit.ndjson');
  const remaining = await service.run(['remaining', '--users', 'jit.ndjson', '--csv']);
  expect(remaining.out()).toBe('id,user_name,email,state\ncarol,carol,carol@example.org,active\n');

  expect(await receiver.stop()).toBe(0);
  expect((await service.logIn('alice', password)).status).toBe(201);
  expect((await service.logIn('bob', password)).status).toBe(201);
  expect((await service.logIn('carol', password)).status).toBe(400);
  // No password in what was printed, in the journal, or in the events.
  const journal = readFileSync(join(service.cwd, 'jit.journal'), 'utf8');
  expect(receiver.out() + journal + JSON.stringify(receiver.events)).not.toContain(password);
  expect(statSync(join(service.cwd, 'jit.journal')).mode & 0o777).toBe(0o600);
});

it('a user on no list and one with a password are not asked about', async () => {
  const { service, receiver } = await startStory(['alice']);
  await service.addUser('mallory');
  expect((await service.logIn('mallory', password)).status).toBe(400);
  await service.call('PUT /v2/users/human/alice', {
    password: { password: { password: 'New-Secret-2', changeRequired: false } },
  });
  expect((await service.logIn('alice', password)).status).toBe(400);
  expect((await service.logIn('alice', 'New-Secret-2')).status).toBe(201);
  expect(receiver.out()).toContain('"outcome":"not-listed"');
  expect(receiver.out()).toContain('"outcome":"migrated-before"');
  expect(receiver.out()).not.toContain('"verifier":"hashes"');
});

it('a user who is deactivated or locked is not asked about', async () => {
  const { service, receiver } = await startStory(['alice', 'bob']);
  await service.call('POST /v2/users/alice/deactivate', {});
  await service.call('POST /v2/users/bob/lock', {});
  for (const name of ['alice', 'bob']) expect((await service.logIn(name, password)).status).toBe(400);
  const tried = await service.run(
    ['try', '--user', 'alice', '--verifier', 'hashes:jit.ndjson'],
    `${password}\n`,
  );
  expect(tried.exitCode).toBe(4);
  expect(tried.out()).toContain('not active at the service: no verifier is asked');
  expect(receiver.out().match(/"outcome":"not-active"/g)).toHaveLength(2);
  await service.call('POST /v2/users/bob/unlock', {});
  expect((await service.logIn('bob', password)).status).toBe(201);
});

it('--require-change asks for a new password after the first login', async () => {
  const { service } = await startStory(['alice'], undefined, ['--require-change']);
  expect((await service.logIn('alice', password)).status).toBe(201);
  const { body } = await service.call('GET /v2/users/alice');
  expect(body.user.human.passwordChangeRequired).toBe(true);
});

it('beside a list, --any-user lets others be asked about, and status counts them apart', async () => {
  const service = await startJitService();
  for (const name of ['alice', 'bob']) await service.addUser(name);
  writeUserList(service.cwd, [{ id: 'alice', userName: 'alice', form: sha256Form(password) }]);
  const old = await startOldSystem((user) => user === 'bob');
  const settings = { url: `${old}/own`, signingKey: 'a-key-of-the-operator' };
  writeFileSync(join(service.cwd, 'http.json'), JSON.stringify(settings), { mode: 0o600 });
  const receiver = await service.serve(
    '--verifier hashes:jit.ndjson --verifier http:http.json --any-user --signing-key-file jit.key'.split(' '),
  );
  await service.run(['setup', '--endpoint', receiver.url, '--signing-key-file', 'jit.key']);
  expect((await service.logIn('bob', password)).status).toBe(201);
  const status = await service.run(['status', '--users', 'jit.ndjson']);
  expect(status.out()).toContain('0 users of 1 migrated');
  expect(status.out()).toContain('1 user migrated without being on the list');
});

it('wrong passwords of many users from one address make the next one wait', async () => {
  const { free } = addressRule;
  const names = Array.from({ length: free + 2 }, (_, n) => `user-${n}`);
  const clock = { ...systemClock, monotonic: () => 0 };
  const { service, receiver } = await startStory(names, clock);
  const key = readFileSync(join(service.cwd, 'jit.key'), 'utf8').trim();
  const call = async (userId: string, address: string): Promise<void> => {
    const body = JSON.stringify({
      fullMethod: '/zitadel.session.v2.SessionService/CreateSession',
      request: { checks: { user: { userId }, password: { password: 'wrong' } } },
      headers: { 'X-Forwarded-For': [`${address}, 10.0.0.1`] },
    });
    const headers = { [signatureHeader]: signBody(body, key, Date.now() / 1000) };
    expect((await fetch(receiver.url, { method: 'POST', body, headers })).status).toBe(200);
  };
  for (const name of names) await call(name, '203.0.113.7');
  expect(receiver.out().match(/"outcome":"wrong"/g)).toHaveLength(free + 1);
  expect(receiver.out().match(/"outcome":"limited"/g)).toHaveLength(1);
  // Another client is not concerned, and an address that all share is not counted.
  await call(names.at(-1)!, '198.51.100.1');
  await call(names.at(-1)!, '192.168.0.1');
  expect(receiver.out().match(/"outcome":"wrong"/g)).toHaveLength(free + 3);
});

it('wrong passwords make the next try wait, and the right one comes over later', async () => {
  let monotonic = 0;
  const { service, receiver } = await startStory(['alice'], { ...systemClock, monotonic: () => monotonic });
  for (let n = 0; n < 4; n++) expect((await service.logIn('alice', `wrong-${n}`)).status).toBe(400);
  expect((await service.logIn('alice', password)).status).toBe(400);
  expect(receiver.out().match(/"outcome":"wrong"/g)).toHaveLength(4);
  expect(receiver.out().match(/"outcome":"limited"/g)).toHaveLength(1);
  monotonic += userRule.firstDelay;
  expect((await service.logIn('alice', password)).status).toBe(201);
});

it('the same wrong password twice within seconds is one guess, and the old system is asked once', async () => {
  let monotonic = 0;
  const { service, receiver } = await startStory(['alice'], { ...systemClock, monotonic: () => monotonic });
  // As the login pages do: SetSession, then CreateSession.
  for (let n = 0; n < 3; n++) {
    expect((await service.logInByTwoSteps('alice', `wrong-${n}`)).status).toBe(400);
    expect((await service.logIn('alice', `wrong-${n}`)).status).toBe(400);
  }
  const asked = async (): Promise<string | undefined> =>
    /verifier_seconds_count\{verifier="hashes",result="wrong"\} (\d+)/.exec(
      await (await fetch(`${receiver.url}metrics`)).text(),
    )?.[1];
  expect(await asked()).toBe('3');
  monotonic += 10_000;
  await service.logIn('alice', 'wrong-0');
  expect(await asked()).toBe('4');
  monotonic += 60_000;
  expect((await service.logIn('alice', password)).status).toBe(201);
});

it('the address of the browser counts as the login pages say it, in both steps', async () => {
  const { free } = addressRule;
  const names = Array.from({ length: free + 3 }, (_, n) => `user-${n}`);
  const { service, receiver } = await startStory(names, { ...systemClock, monotonic: () => 0 });
  for (const [n, loginName] of names.entries()) {
    const userAgent = { ip: '203.0.113.7' };
    const checks = { user: { loginName }, password: { password: 'wrong' } };
    if (n % 2 === 0) await service.call('POST /v2/sessions', { checks, userAgent });
    else {
      const { body } = await service.call('POST /v2/sessions', {
        checks: { user: { loginName } },
        userAgent,
      });
      const { password: typed } = checks;
      await service.call(`PATCH /v2/sessions/${body.sessionId}`, { checks: { password: typed } });
    }
  }
  expect(receiver.out().match(/"outcome":"wrong"/g)).toHaveLength(free + 1);
  expect(receiver.out().match(/"outcome":"limited"/g)).toHaveLength(2);
});

it('a signer key is taken as the console shows it, and without it neither serve nor try starts', async () => {
  const service = await startJitService();
  await service.addUser('alice');
  const key = Buffer.alloc(64, 9);
  const form = {
    kind: 'digest',
    expected: createHash('sha256').update(password).update(key).digest('base64'),
    of: { digest: 'sha256', of: { join: ['password', { secret: 'base64_signer_key' }] } },
  } as const;
  writeUserList(service.cwd, [{ id: 'alice', userName: 'alice', form }]);
  writeFileSync(join(service.cwd, 'signer'), `${key.toString('base64')}\n`);
  const missing = 'hashes of the list need a secret that is not given: base64_signer_key';
  const verifier = ['--verifier', 'hashes:jit.ndjson'];
  const attempt = ['try', '--user', 'alice', ...verifier];
  await expect(service.serve([...verifier, '--signing-key-file', 'jit.key'])).rejects.toThrow(missing);
  await expect(service.run(attempt, `${password}\n`)).rejects.toThrow(missing);
  const secret = ['--secret', 'base64_signer_key=signer'];
  expect((await service.run([...attempt, ...secret], `${password}\n`)).exitCode).toBe(0);
  writeFileSync(join(service.cwd, 'signer'), 'not base64!');
  await expect(service.run([...attempt, ...secret], 'x\n')).rejects.toThrow('signer is not base64');
});

it('remove takes the executions and the target away and leaves those of others', async () => {
  const { service } = await startStory(['alice']);
  const other = await service.call('POST /v2/actions/targets', {
    name: 'other',
    endpoint: 'https://other.example.com/',
    timeout: '1s',
    restCall: { interruptOnError: false },
  });
  const method = '/zitadel.session.v2.SessionService/CreateSession';
  const before = await service.call('POST /v2/actions/executions/search', {});
  const own: string[] = before.body.executions.find(
    (one: any) => one.condition.request.method === method,
  ).targets;
  await service.call('PUT /v2/actions/executions', {
    condition: { request: { method } },
    targets: [other.body.id, ...own],
  });
  expect((await service.run(['status'])).exitCode).toBe(0);
  expect((await service.run(['remove'])).exitCode).toBe(0);
  const after = await service.call('POST /v2/actions/executions/search', {});
  expect(after.body.executions.map((one: any) => one.targets)).toEqual([[other.body.id]]);
  expect((await service.run(['status'])).exitCode).toBe(4);
});

it('the email about changed passwords is off in a muted organization until the receiver is removed', async () => {
  const { service } = await startStory(['alice']);
  const policy = async (): Promise<unknown> =>
    (await service.call('GET /management/v1/policies/notification')).body.policy;
  const setup = async (...more: string[]): Promise<string> => {
    const args = [
      'setup',
      '--endpoint',
      'https://jit.example.com/',
      '--signing-key-file',
      'jit.key',
      ...more,
    ];
    return JSON.stringify((await service.run(args)).events);
  };
  expect(await setup('--users', 'jit.ndjson')).toContain(`with --mute-org ${service.orgId}.`);
  expect(await setup('--mute-org', service.orgId)).not.toContain('jit:password-emails');
  expect(await policy()).toEqual({});
  await setup('--mute-org', service.orgId);
  await service.run(['remove']);
  expect(await policy()).toEqual({ isDefault: true, passwordChange: true });
  // An organization with a policy of its own keeps one.
  await service.call('POST /management/v1/policies/notification', { passwordChange: true });
  await setup('--mute-org', service.orgId);
  expect(await policy()).toEqual({});
  await service.run(['remove']);
  expect(await policy()).toEqual({ passwordChange: true });
  expect(existsSync(join(service.cwd, 'jit.muted'))).toBe(false);
});

it('setup and status tell where wrong passwords lock users', async () => {
  const { service } = await startStory(['alice']);
  const imported = await service.call('POST /admin/v1/import', {
    timeout: '1m',
    dataOrgs: {
      orgs: [{ orgId: 'locked', org: { name: 'Locked' }, lockoutPolicy: { maxPasswordAttempts: 3 } }],
    },
  });
  expect(imported.status).toBe(200);
  const lockout = 'In organization locked, 3 wrong passwords lock a user';
  expect((await service.run(['status', '--org', 'locked'])).out()).toContain(lockout);
  expect((await service.run(['status'])).out()).not.toContain('lock a user');
  const args = [
    '--endpoint',
    'https://jit.example.com/',
    '--signing-key-file',
    'jit.key',
    '--mute-org',
    'locked',
  ];
  const { events } = await service.run(['setup', ...args]);
  expect(JSON.stringify(events)).toContain(lockout);
});

it('try shows each step and writes nothing', async () => {
  const { service } = await startStory(['alice']);
  const args = ['try', '--user', 'alice', '--verifier', 'hashes:jit.ndjson'];
  const right = await service.run(args, `${password}\n`);
  expect(right.exitCode).toBe(0);
  expect(right.out()).toContain('hashes: right');
  expect((await service.run(args, 'wrong\n')).exitCode).toBe(4);
  const { body } = await service.call('GET /v2/users/alice/authentication_methods');
  expect(body.authMethodTypes ?? []).toEqual([]);
});

it('health, readiness and metrics', async () => {
  const { service, receiver } = await startStory(['alice']);
  await service.logIn('alice', password);
  expect((await fetch(`${receiver.url}healthz`)).status).toBe(200);
  expect((await fetch(`${receiver.url}readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${receiver.url}metrics`)).text();
  expect(metrics).toContain('idport_jit_calls_total{outcome="migrated"} 1');
  expect(metrics).toContain('idport_jit_users_migrated 1');
  expect(metrics).not.toContain('alice');
});
