/** Users with the placeholder password, and the login pages of the service, which ask only those who have a password. */
import { expect, it, vi } from 'vitest';
import { isPlaceholder } from '../../../src/records/placeholder-password.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { noticesOf, succeeded, eventOf } from '../../support/workspace.ts';
import { countOf, startOldSystem, type JitWorkspace, openJitWorkspace } from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

/** Of `{SHA}` hashes, which no target verifies. */
const oldPassword = 'secret';
const sha = 'userPassword: {SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=';
const address = 'mail';
const names = ['alice', 'bob', 'carol', 'dave'];

/** LDIF with `{SHA}` hashes; one user has none. */
const ldif = names.map(
  (uid, at) => `dn: uid=${uid},ou=users,dc=example,dc=org
objectClass: inetOrgPerson
uid: ${uid}
cn: A ${uid}
givenName: A
sn: ${uid}
${address}: ${uid}@example.org
entryUUID: 0000000${at}-0000-4000-8000-000000000000
${uid === 'dave' ? '' : sha}
`,
);

const migrate = 'migrate openldap --users=users.ldif --target-profile=self-hosted';
const withPlaceholder = '--email-verified --jit-list=jit.ndjson --jit-placeholder';

/**
 * What Login V2, the login pages of the service, decides, after its public source: `sendLoginname`
 * (apps/login/src/lib/server/loginname.ts), `sendPassword` (password.ts) and `checkPasswordChangeRequired` and
 * `checkMFAFactors` (verify-helper.ts). Pages of other ways to log in are only named.
 */
function openLoginPages({ call, methodsOf }: JitWorkspace) {
  /** The page after the user name: `/password`, or another one that asks for none. */
  async function enterName(loginName: string) {
    const found = await call('POST /v2/users', { queries: [{ loginNameQuery: { loginName } }] });
    const [user, other] = found.body.result ?? [];
    if (user === undefined || other !== undefined) return { page: '/loginname', sessionId: '' };
    const session = await call('POST /v2/sessions', { checks: { user: { userId: user.userId } } });
    const { sessionId = '' } = session.body;
    if (session.status !== 201 || user.state === 'USER_STATE_INITIAL') return { page: '/error', sessionId };
    const methods = await methodsOf(user.userId);
    const first = ['PASSKEY', 'IDP', 'PASSWORD'].find((method) => methods.includes(method));
    // No page asks this user for a password; a code is sent by email.
    if (methods.length === 0) return { page: '/verify?send=true&invite=true', sessionId };
    return { page: first === undefined ? '/loginname' : `/${first.toLowerCase()}`, sessionId };
  }

  /** The page after the password: `/signedin`, or the error of the service. */
  async function enterPassword(sessionId: string, password: string) {
    const checked = await call(`PATCH /v2/sessions/${sessionId}`, { checks: { password: { password } } });
    if (checked.status !== 200) return `/error ${checked.body.details?.[0]?.id ?? checked.body.message}`;
    const { body } = await call(`GET /v2/sessions/${sessionId}`);
    const { id } = body.session.factors.user;
    const { user } = (await call(`GET /v2/users/${encodeURIComponent(id)}`)).body;
    if (user.human.passwordChangeRequired === true) return '/password/change';
    if (user.state === 'USER_STATE_INITIAL') return '/error';
    return (await methodsOf(id)).includes('TOTP') ? '/otp/time-based' : '/signedin';
  }

  /** Both, one after the other. */
  async function logIn(loginName: string, password: string) {
    const { page, sessionId } = await enterName(loginName);
    return page === '/password' ? enterPassword(sessionId, password) : page;
  }
  return { enterName, enterPassword, logIn };
}

async function openStory() {
  const workspace = await openJitWorkspace();
  workspace.write('users.ldif', ldif.join('\n'));
  const org = `--org=${workspace.server.orgId}`;
  const into = (flags: string) => workspace.run(`${migrate} ${org} ${flags}`);
  const importUsers = (flags: string) => workspace.run(`import-users importBody.json ${org} ${flags}`);
  return { ...workspace, org, migrate: into, importUsers, pages: openLoginPages(workspace) };
}

/** With another system that knows this user alone. Resolves to the warnings about the login pages as well. */
async function serve(workspace: JitWorkspace, user: string, idMap = '', flags = '') {
  workspace.writeHttp(await startOldSystem((name, typed) => name === user && typed === oldPassword));
  const verifiers = '--verifier hashes:jit.ndjson --verifier http:http.json';
  const receiver = await workspace.serve(`${verifiers}${idMap}${flags}`);
  const setup = await workspace.setUp(receiver.url, `--users jit.ndjson${idMap}`);
  return { receiver, warnings: noticesOf(setup, 'jit:login-pages') };
}

it.each(['import', 'import-users'])(
  'Login V2 asks users with the placeholder password, and jit migrates the old one: by %s',
  async (verb) => {
    const story = await openStory();
    const { run, pages } = story;
    const endOf = (ran: Awaited<ReturnType<typeof run>>) => eventOf(ran, 'run:end').tally;
    const converted = await succeeded(story.migrate(withPlaceholder));
    const tally = endOf(converted);
    expect(tally.passwords).toEqual(new Map([['none', 4]]));
    // Of one of them the source has no hash at all.
    expect(Object.fromEntries(tally.signIn)).toEqual({ 'first-login': 3, 'old-system': 1 });
    expect(tally.emails.size).toBe(0);
    expect(tally.reasons.get('password:placeholder')).toBe(4);
    const checked = await succeeded(run('check importBody.json --max-emails=0 --target-profile=self-hosted'));
    expect(Object.fromEntries(endOf(checked).signIn)).toEqual({ placeholder: 4 });
    const isBulk = verb === 'import';
    await succeeded(run(`${verb} importBody.json${isBulk ? '' : ` ${story.org}`} --max-emails=0`));
    const verified = await succeeded(run('verify importBody.json --allow-extra'));
    expect(eventOf(verified, 'verify:end').signIn).toContainEqual(
      expect.objectContaining({ kind: 'placeholder', count: 4 }),
    );

    const idMap = isBulk ? '' : ' --id-map importBody.json.ids.csv';
    const { receiver, warnings } = await serve(story, 'dave', idMap);
    expect(warnings).toBe('');
    expect(await pages.logIn('alice', 'wrong')).toBe('/error COMMAND-3M0fs');
    expect(await pages.logIn('alice', oldPassword)).toBe('/signedin');
    expect(await story.logIn('bob', oldPassword)).toBe(201);
    // The list has no hash of this user: the next verifier knows the password.
    expect(await pages.logIn('dave', oldPassword)).toBe('/signedin');

    const tried = await succeeded(
      run(`jit try --user carol --verifier hashes:jit.ndjson${idMap}`, {
        stdin: `${oldPassword}\n`,
      }),
    );
    expect(tried.stdout).toContain('the service has the placeholder, and no password of the user');
    const carol = story.server.state.store.users.by('name', 'carol')[0]!.id;
    const remaining = `jit remaining --users jit.ndjson --csv${idMap}`;
    expect((await run(remaining)).stdout).toBe(
      `id,user_name,email,state\n${carol},carol,carol@example.org,active\n`,
    );
    // Who has set a password of their own is never asked about, also not by a receiver without its journal.
    await story.call(`POST /v2/users/${carol}/password`, { newPassword: { password: 'New-Secret-2' } });
    expect(await pages.logIn('carol', oldPassword)).toBe('/error COMMAND-3M0fs');
    expect(await pages.logIn('carol', 'New-Secret-2')).toBe('/signedin');
    await receiver.stop();
    const second = await serve(story, 'dave', idMap, ' --journal second.journal');
    for (const name of ['alice', 'carol']) await pages.logIn(name, 'wrong');
    expect(countOf(second.receiver, 'migrated-before')).toBe(2);
    expect((await run(remaining)).stdout).toBe('id,user_name,email,state\n');
    const undo = `undo --journal=importBody.json${isBulk ? '' : '.users'}.journal`;
    await succeeded(run(`${undo} --changed=delete --yes=4`));
    expect(await pages.logIn('alice', oldPassword)).toBe('/loginname');
  },
);

it('import-users --from writes the jit list and the placeholder passwords itself', async () => {
  const story = await openStory();
  const from = '--from=openldap --users=users.ldif --target-profile=self-hosted';
  await succeeded(story.run(`import-users ${from} ${story.org} --max-emails=0 --ids=new ${withPlaceholder}`));
  await expect(serve(story, 'dave')).rejects.toThrow('the service has users of this list under other ids');
  await serve(story, 'dave', ' --id-map users.ldif.ids.csv');
  for (const name of names) expect(await story.pages.logIn(name, oldPassword)).toBe('/signedin');
});

it('Login V2 asks for no password without the placeholder, and jit setup warns', async () => {
  const story = await openStory();
  const converted = await story.migrate('--email-verified --jit-list=jit.ndjson');
  expect(noticesOf(converted, 'jit:listed')).toContain('--jit-placeholder');
  await story.importUsers('--jit --max-emails=unlimited');
  const { warnings } = await serve(story, 'dave');
  expect(warnings).toContain('3 of 3 users at the top of the list have no password at the service');
  expect((await story.pages.enterName('alice')).page).toBe('/verify?send=true&invite=true');
  expect(await story.logIn('alice', oldPassword)).toBe(201);
});

it('a user who existed before the import keeps the password', async () => {
  const story = await openStory();
  const { pages } = story;
  await story.addUser('alice', { userId: 'own', password: { password: 'Own-Secret-1' } });
  await story.migrate(withPlaceholder);
  await story.importUsers('--max-emails=0');
  const { receiver } = await serve(story, 'alice', ' --id-map importBody.json.ids.csv');
  expect(await pages.logIn('alice', oldPassword)).toBe('/error COMMAND-3M0fs');
  expect(await pages.logIn('alice', 'Own-Secret-1')).toBe('/signedin');
  expect(await pages.logIn('bob', oldPassword)).toBe('/signedin');
  expect(receiver.out()).toContain('"outcome":"not-listed"');
});

it('the placeholder password counts as no password in reports and proofs', async () => {
  const story = await openStory();
  await story.migrate(withPlaceholder);
  const found = story.read('importBody.json').matchAll(/"hashedPassword":\{"value":"([^"]+)"/g);
  const hashes = Array.from(found, ([, hash = '']) => hash);
  expect(hashes.map(isPlaceholder)).toEqual(names.map(() => true));
  expect(new Set(hashes).size).toBe(1);
  expect(await verifyPassword(hashes[0]!, oldPassword)).toBe(false);
  const list = story.read('jit.ndjson').trimEnd().split('\n');
  const hasForm = list.map((line) => JSON.parse(line)).map((user) => user.placeholder && 'form' in user);
  expect(hasForm).toEqual([true, true, true, false]);
  story.write('password.txt', `${oldPassword}\n`);
  const proved = await story.migrate(`${withPlaceholder} --prove=alice --prove-password=password.txt`);
  expect(proved.exitCode).toBe(4);
  expect(noticesOf(proved, 'password:not-proved')).toContain(
    'the body has the placeholder password for this user',
  );
  const inspected = await story.run('inspect --from=body importBody.json --format=json');
  expect(JSON.stringify(inspected)).not.toContain('bcrypt');
});

it('--jit-placeholder refuses a target without bcrypt, and a missing --jit-list', async () => {
  const { run, write } = await openStory();
  const profile = JSON.parse((await run('profile show self-hosted')).stdout);
  profile.name = 'own';
  profile.passwordHasher = { ...profile.passwordHasher, algorithm: 'argon2id', verifiers: [] };
  write('profile.json', profile);
  const source = 'migrate openldap --users=users.ldif --org=1';
  const refused = await run(`${source} --target-profile=profile.json ${withPlaceholder}`);
  expect(refused.problem?.message).toContain('--jit-placeholder: the target takes no bcrypt hash');
  expect((await run(`${migrate} --org=1 --jit-placeholder`)).problem?.message).toContain(
    '--jit-placeholder belongs to --jit-list',
  );
});
