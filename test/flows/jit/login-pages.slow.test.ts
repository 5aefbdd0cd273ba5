/** Users with the placeholder password, and the login pages of the service, which ask only those who have a password. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { IdportEvent } from '../../../src/events.ts';
import { isPlaceholder } from '../../../src/records/placeholder-password.ts';
import { verifyPassword } from '../../../src/records/mcf/verify.ts';
import { openLoginPages } from '../../support/login-pages.ts';
import { startOldSystem } from '../../support/old-system.ts';
import { type JitService, startJitService } from '../../support/jit.ts';
import { runProgram } from '../../support/program.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

/** Of `{SHA}` hashes, which no target verifies. */
const oldPassword = 'secret';
const sha = '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=';
const names = ['alice', 'bob', 'carol', 'dave'];

/** LDIF with `{SHA}` hashes; one user has none. */
const ldif = names
  .map((uid, at) => [
    ['dn', `uid=${uid},ou=users,dc=example,dc=org`],
    ['objectClass', 'inetOrgPerson'],
    ['uid', uid],
    ['cn', `A ${uid}`],
    ['givenName', 'A'],
    ['sn', uid],
    ['mail', `${uid}@example.org`],
    ['entryUUID', `0000000${at}-0000-4000-8000-000000000000`],
    ...(uid === 'dave' ? [] : [['userPassword', sha]]),
  ])
  .map((lines) => lines.map(([name, value]) => `${name}: ${value}`).join('\n'))
  .join('\n\n');

const withPlaceholder = '--email-verified --jit-list=jit.ndjson --jit-placeholder'.split(' ');

type Run = (...args: string[]) => ReturnType<typeof runProgram>;

async function startStory(): Promise<{ service: JitService; run: Run }> {
  const service = await startJitService();
  writeFileSync(join(service.cwd, 'users.ldif'), `${ldif}\n`);
  const env = { IDPORT_URL: service.url, IDPORT_TOKEN: service.token };
  return { service, run: (...args) => runProgram(args, { cwd: service.cwd, env }) };
}

const migrate = ['migrate', 'openldap', '--users=users.ldif', '--target-profile=self-hosted'];

/** Another system that knows this user alone. */
async function writeOldSystem({ cwd }: JitService, user: string): Promise<void> {
  const url = `${await startOldSystem((name, password) => name === user && password === oldPassword)}/own`;
  const settings = JSON.stringify({ url, signingKey: 'a-key-of-the-operator' });
  writeFileSync(join(cwd, 'http.json'), settings, { mode: 0o600 });
}

async function serve(service: JitService, more: readonly string[] = []) {
  const verifiers = ['--verifier', 'hashes:jit.ndjson', '--verifier', 'http:http.json'];
  const receiver = await service.serve([...verifiers, '--signing-key-file', 'jit.key', ...more]);
  const args = ['--endpoint', receiver.url, '--signing-key-file', 'jit.key', '--users', 'jit.ndjson'];
  const setup = await service.run(['setup', ...args, ...more.filter((word) => /id-map|csv$/.test(word))]);
  return { receiver, warnings: setup.events.filter((event) => isNotice(event, 'jit:login-pages')) };
}

const isNotice = (event: IdportEvent, code: string): boolean =>
  event.type === 'notice' && event.code === code;

it.each(['import', 'import-users'])(
  'the login pages ask users with the placeholder password, and the old one comes over: by %s',
  async (verb) => {
    const { service, run } = await startStory();
    const converted = await run(...migrate, '--org', service.orgId, ...withPlaceholder);
    expect(converted.problem).toBeUndefined();
    const end = converted.events.find((event) => event.type === 'run:end');
    expect(end?.tally.passwords).toEqual(new Map([['none', 4]]));
    // Of one of them the source has no hash at all.
    expect(end?.tally.signIn).toEqual(
      new Map([
        ['first-login', 3],
        ['old-system', 1],
      ]),
    );
    expect(end?.tally.emails.size).toBe(0);
    expect(end?.tally.reasons.get('password:placeholder')).toBe(4);
    const checked = await run('check', 'importBody.json', '--max-emails=0', '--target-profile=self-hosted');
    expect(checked.exitCode).toBe(0);
    expect(checked.events.find((event) => event.type === 'run:end')?.tally.signIn).toEqual(
      new Map([['first-login', 4]]),
    );
    const org = verb === 'import' ? [] : ['--org', service.orgId];
    const imported = await run(verb, 'importBody.json', ...org, '--max-emails=0');
    expect([imported.exitCode, imported.problem]).toEqual([0, undefined]);
    const verified = await run('verify', 'importBody.json', '--allow-extra');
    expect(verified.exitCode).toBe(0);
    expect(verified.events.some((event) => isNotice(event, 'verify:placeholder'))).toBe(true);

    await writeOldSystem(service, 'dave');
    const more = verb === 'import' ? [] : ['--id-map', 'importBody.json.ids.csv'];
    const { receiver, warnings } = await serve(service, more);
    expect(warnings).toEqual([]);
    const pages = openLoginPages(service);
    expect(await pages.logIn('alice', 'wrong')).toBe('/error COMMAND-3M0fs');
    expect(await pages.logIn('alice', oldPassword)).toBe('/signedin');
    expect((await service.logIn('bob', oldPassword)).status).toBe(201);
    // The list has no hash of this user: the next verifier knows the password.
    expect(await pages.logIn('dave', oldPassword)).toBe('/signedin');

    const tryCarol = ['try', '--user', 'carol', '--verifier', 'hashes:jit.ndjson', ...more];
    const tried = await service.run(tryCarol, `${oldPassword}\n`);
    expect(tried.exitCode).toBe(0);
    expect(tried.out()).toContain('the service has the placeholder password, and none of the user');
    const carol = (
      await service.call('POST /v2/users', { queries: [{ userNameQuery: { userName: 'carol' } }] })
    ).body.result[0].userId;
    const remaining = ['remaining', '--users', 'jit.ndjson', '--csv', ...more];
    expect((await service.run(remaining)).out()).toBe(
      `id,user_name,email,state\n${carol},carol,carol@example.org,active\n`,
    );
    // Who has set a password of their own is never asked about, also not by a receiver without its journal.
    await service.call(`POST /v2/users/${carol}/password`, { newPassword: { password: 'New-Secret-2' } });
    expect(await pages.logIn('carol', oldPassword)).toBe('/error COMMAND-3M0fs');
    expect(await pages.logIn('carol', 'New-Secret-2')).toBe('/signedin');
    await receiver.stop();
    const second = await serve(service, [...more, '--journal', 'second.journal']);
    for (const name of ['alice', 'carol']) await pages.logIn(name, 'wrong');
    expect(second.receiver.out().match(/"outcome":"migrated-before"/g)).toHaveLength(2);
    expect((await service.run(remaining)).out()).toBe('id,user_name,email,state\n');
    const journal = `importBody.json${verb === 'import' ? '' : '.users'}.journal`;
    const undone = await run('undo', `--journal=${journal}`, '--changed=delete', '--yes=4');
    expect([undone.exitCode, undone.problem]).toEqual([0, undefined]);
    expect(await pages.logIn('alice', oldPassword)).toBe('/loginname');
  },
);

it('import-users --from writes the list and the placeholder passwords itself', async () => {
  const { service, run } = await startStory();
  const from = ['import-users', '--from=openldap', '--users=users.ldif', '--target-profile=self-hosted'];
  const limits = ['--org', service.orgId, '--max-emails=0', '--ids=new'];
  const imported = await run(...from, ...limits, ...withPlaceholder);
  expect([imported.exitCode, imported.problem]).toEqual([0, undefined]);
  expect(imported.events.find((event) => event.type === 'run:end')?.tally.passwords).toEqual(
    new Map([['none', 4]]),
  );
  await writeOldSystem(service, 'dave');
  await expect(serve(service)).rejects.toThrow('the service has users of this list under other ids');
  await serve(service, ['--id-map', 'users.ldif.ids.csv']);
  const pages = openLoginPages(service);
  for (const name of names) expect(await pages.logIn(name, oldPassword)).toBe('/signedin');
});

it('without a placeholder password the login pages ask for none, and setup says so', async () => {
  const { service, run } = await startStory();
  const flags = ['--email-verified', '--jit-list=jit.ndjson'];
  const converted = await run(...migrate, '--org', service.orgId, ...flags);
  const listed = converted.events.find((event) => isNotice(event, 'jit:listed'));
  expect(JSON.stringify(listed)).toContain('--jit-placeholder');
  await run('import-users', 'importBody.json', '--org', service.orgId, '--jit', '--max-emails=unlimited');
  await writeOldSystem(service, 'dave');
  const { warnings } = await serve(service);
  expect(JSON.stringify(warnings)).toContain('3 of 3 users looked at have no password at the service');
  const pages = openLoginPages(service);
  expect((await pages.enterName('alice')).page).toBe('/verify?send=true&invite=true');
  expect((await service.logIn('alice', oldPassword)).status).toBe(201);
});

it('a user who was at the service before the import keeps the password chosen there', async () => {
  const { service, run } = await startStory();
  await service.call('POST /v2/users/human', {
    username: 'alice',
    organization: { orgId: service.orgId },
    profile: { givenName: 'A', familyName: 'B' },
    email: { email: 'alice@example.org', isVerified: true },
    password: { password: 'Own-Secret-1' },
  });
  await run(...migrate, '--org', service.orgId, ...withPlaceholder);
  await run('import-users', 'importBody.json', '--org', service.orgId, '--max-emails=0');
  await writeOldSystem(service, 'alice');
  const { receiver } = await serve(service, ['--id-map', 'importBody.json.ids.csv']);
  const pages = openLoginPages(service);
  expect(await pages.logIn('alice', oldPassword)).toBe('/error COMMAND-3M0fs');
  expect(await pages.logIn('alice', 'Own-Secret-1')).toBe('/signedin');
  expect(await pages.logIn('bob', oldPassword)).toBe('/signedin');
  expect(receiver.out()).toContain('"outcome":"not-listed"');
});

it('the placeholder password is no user’s: no report counts it, and no proof accepts it', async () => {
  const { service, run } = await startStory();
  await run(...migrate, '--org', service.orgId, ...withPlaceholder);
  const text = readFileSync(join(service.cwd, 'importBody.json'), 'utf8');
  const hashes = [...text.matchAll(/"hashedPassword":\{"value":"([^"]+)"/g)].map(([, hash = '']) => hash);
  expect(hashes.map(isPlaceholder)).toEqual(names.map(() => true));
  expect(new Set(hashes).size).toBe(1);
  expect(await verifyPassword(hashes[0]!, oldPassword)).toBe(false);
  const list = readFileSync(join(service.cwd, 'jit.ndjson'), 'utf8').trimEnd().split('\n');
  expect(
    list.map((line) => JSON.parse(line)).map(({ form, placeholder }) => [form !== undefined, placeholder]),
  ).toEqual([
    [true, true],
    [true, true],
    [true, true],
    [false, true],
  ]);
  writeFileSync(join(service.cwd, 'password.txt'), `${oldPassword}\n`);
  const prove = ['--prove=alice', '--prove-password=password.txt'];
  const proved = await run(...migrate, '--org', service.orgId, ...withPlaceholder, ...prove);
  expect(proved.exitCode).toBe(4);
  const notProved = proved.events.find((event) => isNotice(event, 'password:not-proved'));
  expect(JSON.stringify(notProved)).toContain('the body has the placeholder password for this user');
  const inspected = await run('inspect', '--from=body', 'importBody.json', '--format=json');
  expect(JSON.stringify(inspected)).not.toContain('bcrypt');
});

it('a target that takes no bcrypt hash, and a flag without its list, end with one line', async () => {
  const { service, run } = await startStory();
  const profile = JSON.parse((await run('profile', 'show', 'self-hosted')).stdout);
  profile.name = 'own';
  profile.passwordHasher = { ...profile.passwordHasher, algorithm: 'argon2id', verifiers: [] };
  writeFileSync(join(service.cwd, 'profile.json'), JSON.stringify(profile));
  const own = ['migrate', 'openldap', '--users=users.ldif', '--org=1', '--target-profile=profile.json'];
  const refused = await run(...own, ...withPlaceholder);
  expect(refused.problem?.message).toContain('--jit-placeholder: the target takes no bcrypt hash');
  expect((await run(...migrate, '--org=1', '--jit-placeholder')).problem?.message).toContain(
    '--jit-placeholder belongs to --jit-list',
  );
});
