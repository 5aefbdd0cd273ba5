import { createHash } from 'node:crypto';
import { existsSync, renameSync, statSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { addressRule, userRule } from '../../../src/flows/jit/guess-limits.ts';
import { encodeListedUser } from '../../../src/flows/jit/user-list.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { selfSigned } from '../../support/certificate.ts';
import { answerHere } from '../../support/local-server.ts';
import {
  countOf,
  defer,
  keyFlag,
  startOldSystem,
  listed,
  oldPassword,
  openJitWorkspace,
  sendSigned,
  type JitWorkspace,
  serveListed,
  sha256Form,
} from '../../support/jit.ts';
import { noticesOf, succeeded } from '../../support/workspace.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

it('jit serve migrates the password at the first login, in one step and in two, and later logins work without it', async () => {
  const workspace = await serveListed(['alice', 'bob', 'carol']);
  const { receiver, logIn, logInByTwoSteps } = workspace;
  expect(await logIn('alice', 'wrong')).toBe(400);
  expect(await logIn('alice')).toBe(201);
  expect(await logInByTwoSteps('bob')).toBe(200);
  expect(await logInByTwoSteps('carol', 'wrong')).toBe(400);

  const status = await succeeded(workspace.run('jit status --users jit.ndjson'));
  expect(status.stdout).toContain('2 of 3 users migrated');
  expect(status.stdout).toContain('1 not yet: idport jit remaining --users=jit.ndjson lists them');
  const { stdout } = await workspace.run('jit status --users jit.ndjson --journal=other');
  expect(stdout).toMatch(/^other does not exist: .*\nBy default/m);
  const remaining = await workspace.run('jit remaining --users jit.ndjson --csv');
  expect(remaining.stdout).toBe('id,user_name,email,state\ncarol,carol,carol@example.org,active\n');
  for (const page of ['healthz', 'readyz']) expect((await fetch(`${receiver.url}${page}`)).status).toBe(200);
  const metrics = await (await fetch(`${receiver.url}metrics`)).text();
  expect(metrics).toContain('idport_jit_calls_total{outcome="migrated"} 2');
  expect(metrics).toContain('idport_jit_users_migrated 2');
  expect(metrics).not.toContain('alice');

  expect(await receiver.stop()).toBe(0);
  expect(await logIn('alice')).toBe(201);
  expect(await logIn('bob')).toBe(201);
  expect(await logIn('carol')).toBe(400);
  // No password in what was printed, in the journal, or in the events.
  const said = receiver.out() + workspace.read('jit.journal') + JSON.stringify(receiver.events);
  expect(said).not.toContain(oldPassword);
  expect(statSync(join(workspace.cwd, 'jit.journal')).mode & 0o777).toBe(0o600);
});

it('jit serve asks no verifier for unlisted users and users with a password', async () => {
  const { addUser, logIn, call, receiver } = await serveListed();
  await addUser('mallory');
  expect(await logIn('mallory')).toBe(400);
  await call('PUT /v2/users/human/alice', {
    password: { password: { password: 'New-Secret-2', changeRequired: false } },
  });
  expect(await logIn('alice')).toBe(400);
  expect(await logIn('alice', 'New-Secret-2')).toBe(201);
  expect(receiver.out()).toContain('"outcome":"not-listed"');
  expect(receiver.out()).toContain('"outcome":"migrated-before"');
  expect(receiver.out()).not.toContain('"verifier":"hashes"');
});

it('jit serve asks no verifier for deactivated and locked users', async () => {
  const { tryAlice, logIn, call, receiver } = await serveListed(['alice', 'bob']);
  await call('POST /v2/users/alice/deactivate', {});
  await call('POST /v2/users/bob/lock', {});
  for (const name of ['alice', 'bob']) expect(await logIn(name)).toBe(400);
  const tried = await tryAlice();
  expect(tried.exitCode).toBe(4);
  expect(tried.stdout).toContain('not active at the service: no verifier is asked');
  expect(countOf(receiver, 'not-active')).toBe(2);
  await call('POST /v2/users/bob/unlock', {});
  expect(await logIn('bob')).toBe(201);
});

it('jit serve without a list requires --any-user', async () => {
  const workspace = await openJitWorkspace();
  workspace.writeHttp('https://old.example.com/');
  const { exitCode, problem } = await workspace.run(`jit serve ${keyFlag} --verifier http:http.json`);
  expect(exitCode).toBe(2);
  expect(problem?.hint).toMatch(/^Pass --users .*--any-user/);
});

/** Alice, after her login. */
async function mustChange({ logIn, call }: JitWorkspace) {
  expect(await logIn('alice')).toBe(201);
  return (await call('GET /v2/users/alice')).body.user.human.passwordChangeRequired;
}

it('an expired password of the old system must be changed after the first login', async () => {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  workspace.writeHttp(await answerHere(async () => [200, { result: 'expired' }]));
  const { url } = await workspace.serve('--verifier http:http.json --any-user');
  await workspace.setUp(url);
  const tried = await workspace.run('jit try --user alice --verifier http:http.json', {
    stdin: `${oldPassword}\n`,
  });
  expect([tried.exitCode, tried.stdout]).toEqual([0, expect.stringContaining('would have to change it')]);
  expect(await mustChange(workspace)).toBe(true);
});

it('--require-change requires a new password after the first login', async () => {
  const workspace = await serveListed(['alice'], { flags: '--require-change' });
  expect(await mustChange(workspace)).toBe(true);
});

it('--any-user also accepts unlisted users, and jit status counts them apart', async () => {
  const workspace = await openJitWorkspace();
  for (const name of ['alice', 'bob']) await workspace.addUser(name);
  workspace.writeList([listed('alice')]);
  workspace.writeHttp(await startOldSystem((user) => user === 'bob'));
  const { url } = await workspace.serve('--verifier hashes:jit.ndjson --verifier http:http.json --any-user');
  await workspace.setUp(url);
  expect(await workspace.logIn('bob')).toBe(201);
  const { stdout } = await workspace.run('jit status --users jit.ndjson');
  expect(stdout).toContain('0 of 1 user migrated');
  expect(stdout).toContain('1 user migrated without being on the list');
});

const { free } = addressRule;

/** So many users, for whom no time passes. */
async function serveMany(length: number) {
  const names = Array.from({ length }, (_, n) => `user-${n}`);
  return { names, ...(await serveListed(names, { clock: { ...systemClock, monotonic: () => 0 } })) };
}

it('wrong passwords for many users from one address delay that address', async () => {
  const { names, read, receiver } = await serveMany(free + 2);
  const key = read('jit.key').trim();
  const call = async (userId: string, address: string) => {
    const sent = {
      fullMethod: '/zitadel.session.v2.SessionService/CreateSession',
      request: { checks: { user: { userId }, password: { password: 'wrong' } } },
      headers: { 'X-Forwarded-For': [`${address}, 10.0.0.1`] },
    };
    expect((await sendSigned(receiver.url, sent, key)).status).toBe(200);
  };
  for (const name of names) await call(name, '203.0.113.7');
  expect(countOf(receiver, 'wrong')).toBe(free + 1);
  expect(countOf(receiver, 'limited')).toBe(1);
  // Another client is not concerned, and an address that all share is not counted.
  await call(names.at(-1)!, '198.51.100.1');
  await call(names.at(-1)!, '192.168.0.1');
  expect(countOf(receiver, 'wrong')).toBe(free + 3);
});

/** Time passes where the test says so. */
async function serveAtTime(name: string) {
  let monotonic = 0;
  const clock = { ...systemClock, monotonic: () => monotonic };
  return { ...(await serveListed([name], { clock })), pass: (ms: number) => void (monotonic += ms) };
}

it('wrong passwords delay the next attempt, and the right one migrates later', async () => {
  const { logIn, receiver, pass } = await serveAtTime('alice');
  for (let n = 0; n < 4; n++) expect(await logIn('alice', `wrong-${n}`)).toBe(400);
  expect(await logIn('alice')).toBe(400);
  expect(countOf(receiver, 'wrong')).toBe(4);
  expect(countOf(receiver, 'limited')).toBe(1);
  pass(userRule.firstDelay);
  expect(await logIn('alice')).toBe(201);
});

it('the same wrong password twice within seconds is one guess and one check', async () => {
  const { logIn, logInByTwoSteps, receiver, pass } = await serveAtTime('alice');
  // As the login pages do: SetSession, then CreateSession.
  for (let n = 0; n < 3; n++) {
    expect(await logInByTwoSteps('alice', `wrong-${n}`)).toBe(400);
    expect(await logIn('alice', `wrong-${n}`)).toBe(400);
  }
  const asked = async () =>
    /verifier_seconds_count\{verifier="hashes",result="wrong"\} (\d+)/.exec(
      await (await fetch(`${receiver.url}metrics`)).text(),
    )?.[1];
  expect(await asked()).toBe('3');
  pass(10_000);
  await logIn('alice', 'wrong-0');
  expect(await asked()).toBe('4');
  pass(60_000);
  expect(await logIn('alice')).toBe(201);
});

it('the browser address of both login steps counts for the address limit', async () => {
  const { names, call, receiver } = await serveMany(free + 3);
  for (const [n, loginName] of names.entries()) {
    const userAgent = { ip: '203.0.113.7' };
    const [user, password] = [{ loginName }, { password: 'wrong' }];
    if (n % 2 === 0) await call('POST /v2/sessions', { checks: { user, password }, userAgent });
    else {
      const { body } = await call('POST /v2/sessions', { checks: { user }, userAgent });
      await call(`PATCH /v2/sessions/${body.sessionId}`, { checks: { password } });
    }
  }
  expect(countOf(receiver, 'wrong')).toBe(free + 1);
  expect(countOf(receiver, 'limited')).toBe(2);
});

it('--secret takes the signer key as the console shows it, and serve and try require it', async () => {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  const key = Buffer.alloc(64, 9);
  const form = {
    kind: 'digest',
    expected: createHash('sha256').update(oldPassword).update(key).digest('base64'),
    of: { digest: 'sha256', of: { join: ['password', { secret: 'base64_signer_key' }] } },
  } as const;
  workspace.writeList([{ id: 'alice', userName: 'alice', form }]);
  workspace.write('signer', `${key.toString('base64')}\n`);
  const missing = 'hashes on the list need a secret that was not given: base64_signer_key';
  await expect(workspace.serve('--verifier hashes:jit.ndjson')).rejects.toThrow(missing);
  expect((await workspace.tryAlice()).problem?.message).toBe(missing);
  await succeeded(workspace.tryAlice(' --secret base64_signer_key=signer'));
  workspace.write('signer', 'not base64!');
  expect((await workspace.tryAlice(' --secret base64_signer_key=signer')).problem?.message).toContain(
    'signer is not base64',
  );
});

it('jit serve refuses the journal of a rolled back import', async () => {
  const workspace = await openJitWorkspace();
  await workspace.addUser('alice');
  workspace.writeList([listed('alice')]);
  const line = { at: '2020-01-02T03:04:05.000Z', id: 'alice', by: 'hashes' };
  workspace.write('jit.journal', `${JSON.stringify(line)}\n`);
  const anew = 'users were created anew after they had migrated';
  await expect(workspace.serve('--verifier hashes:jit.ndjson')).rejects.toThrow(anew);
  for (const verb of ['remaining', 'status'])
    expect((await workspace.run(`jit ${verb} --users jit.ndjson`)).problem?.message).toContain(anew);
  await workspace.serve('--verifier hashes:jit.ndjson --journal new.journal');
});

it('jit remove deletes its executions and target and keeps those of others', async () => {
  const { call, run } = await serveListed();
  const other = await call('POST /v2/actions/targets', {
    name: 'other',
    endpoint: 'https://other.example.com/',
    timeout: '1s',
    restCall: { interruptOnError: false },
  });
  const method = '/zitadel.session.v2.SessionService/CreateSession';
  const executions = async (): Promise<any[]> =>
    (await call('POST /v2/actions/executions/search', {})).body.executions;
  const own: string[] = (await executions()).find((one) => one.condition.request.method === method).targets;
  const targets = [other.body.id, ...own];
  await call('PUT /v2/actions/executions', { condition: { request: { method } }, targets });
  const status = await succeeded(run('jit status --journal other.journal'));
  expect(status.stdout).toContain('other.journal does not exist');
  await succeeded(run('jit remove'));
  expect((await executions()).map((one) => one.targets)).toEqual([[other.body.id]]);
  expect((await run('jit status')).exitCode).toBe(4);
});

it('--mute-org turns off password change emails until jit remove', async () => {
  const { server, call, cwd, run, setUp } = await serveListed();
  const policy = async () => (await call('GET /management/v1/policies/notification')).body.policy;
  const codesOf = async (flags: string) =>
    JSON.stringify((await setUp('https://jit.example.com/', flags)).events);
  const mute = `--mute-org=${server.orgId}`;
  const toNowhere = '--endpoint https://jit.example.com/ --signing-key-file none/jit.key';
  const { exitCode } = await run(`jit setup ${toNowhere} ${mute}`);
  expect([exitCode, existsSync(join(cwd, 'jit.muted'))]).toEqual([1, false]);
  expect(await codesOf('--users jit.ndjson')).toContain(`with ${mute}.`);
  const muted = `no email about changed passwords is sent in organization ${server.orgId}.`;
  expect((await run('jit status')).stdout).not.toContain('no email');
  const codes = await codesOf('--mute-org=all');
  expect(codes).toContain(muted);
  expect(codes).not.toContain('jit:password-emails');
  const { stdout } = await run('jit status');
  expect(stdout).toContain(muted);
  expect(stdout).not.toContain('By default, each user');
  expect(await policy()).toEqual({});
  await codesOf(mute);
  await run('jit remove');
  expect(await policy()).toEqual({ isDefault: true, passwordChange: true });
  // An organization with its own policy keeps it.
  await call('POST /management/v1/policies/notification', { passwordChange: true });
  await codesOf(mute);
  expect(await policy()).toEqual({});
  await run('jit remove');
  expect(await policy()).toEqual({ passwordChange: true });
  await codesOf(mute);
  await call('PUT /management/v1/policies/notification', { passwordChange: true });
  expect(noticesOf(await run('jit remove'))).toContain('was changed by others meanwhile, and stays');
  expect(existsSync(join(cwd, 'jit.muted'))).toBe(false);
});

it('jit try prints each step and writes nothing', async () => {
  const { tryAlice, methodsOf } = await serveListed();
  const right = await tryAlice();
  expect([right.exitCode, right.stdout]).toEqual([0, expect.stringContaining('hashes: right')]);
  expect((await tryAlice('', 'wrong')).exitCode).toBe(4);
  expect(await methodsOf('alice')).toEqual([]);
});

/** Resolves to the status, or to the code of the error. */
function ask(url: string, ca: string) {
  return new Promise((resolve) => {
    get(`${url}healthz`, { ca, agent: false, servername: 'localhost' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

/** `passMinute` ends the minute in which nothing is looked for, and resolves when the next one begins. */
function minuteClock() {
  let begun = defer<() => void>();
  const sleep: typeof systemClock.sleep = (ms, signal, options) =>
    ms === 60_000 ? new Promise((end) => begun.resolve(end)) : systemClock.sleep(ms, signal, options);
  const passMinute = async () => {
    const end = await begun.promise;
    begun = defer();
    end();
    await begun.promise;
  };
  return { clock: { ...systemClock, sleep }, passMinute };
}

it('jit serve reloads a replaced list, keeps the old one if the new is broken, and jit status uses it', async () => {
  const { clock, passMinute } = minuteClock();
  const workspace = await serveListed(['alice', 'bob', 'carol'], { clock });
  const { receiver, logIn, addUser, write } = workspace;
  await addUser('dan');
  expect(await logIn('alice')).toBe(201);
  expect(await logIn('dan')).toBe(400);

  const replace = (users: string) => {
    write('new.ndjson', users);
    renameSync(join(workspace.cwd, 'new.ndjson'), join(workspace.cwd, 'jit.ndjson'));
  };
  replace('not a user');
  await passMinute();
  await receiver.outputMatching(/"type":"list","problem":"jit.ndjson: line 1 is not a user/);
  expect(await logIn('bob')).toBe(201);

  // Carol has another password since, and dan is new.
  const carol = { ...listed('carol'), form: sha256Form('Other-Secret-2') };
  replace([carol, listed('dan')].map(encodeListedUser).join(''));
  await passMinute();
  await receiver.outputMatching(/"type":"list","users":2/);
  expect(await logIn('carol')).toBe(400);
  expect(await logIn('carol', 'Other-Secret-2')).toBe(201);
  expect(countOf(receiver, 'not-listed')).toBe(1);

  // Two who have migrated are on the list before only.
  const { stdout } = await workspace.run('jit status --users jit.ndjson');
  expect(stdout).toContain('1 of 2 users migrated');

  // Written in its place, where dan has another line: read anew at once.
  workspace.writeList(['dan', 'eve'].map(listed));
  expect(await logIn('dan')).toBe(201);
});

it('jit serve reloads a renewed certificate, and keeps the old one if the new is broken', async () => {
  const workspace = await openJitWorkspace();
  workspace.writeList([listed('a')]);
  const write = ({ cert, key }: { cert: string; key: string }) => {
    workspace.write('tls.crt', cert);
    workspace.write('tls.key', key);
  };
  const flags = '--verifier hashes:jit.ndjson --tls-cert tls.crt --tls-key tls.key';
  write({ cert: 'nothing', key: 'nothing' });
  await expect(workspace.serve(flags)).rejects.toThrow('the TLS files are not a certificate with its key');

  const [first, renewed] = [selfSigned(), selfSigned()];
  write(first);
  const { clock, passMinute } = minuteClock();
  const receiver = await workspace.serve(flags, clock);
  expect(await ask(receiver.url, first.cert)).toBe(200);

  write({ cert: renewed.cert, key: 'half of it' });
  await passMinute();
  await receiver.outputMatching(/"type":"certificate"/);
  expect(await ask(receiver.url, first.cert)).toBe(200);

  write(renewed);
  await passMinute();
  expect(await ask(receiver.url, renewed.cert)).toBe(200);
  expect(await ask(receiver.url, first.cert)).not.toBe(200);
});
