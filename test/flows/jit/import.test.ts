/** `import-users --jit`: users without a password can log in at once, without an email that asks for a new one. */
import { expect, it, vi } from 'vitest';
import { eventOf, noticesOf, type Ran, succeeded } from '../../support/workspace.ts';
import { keycloakUser, realmOf } from '../../support/conversion.ts';
import { openJitWorkspace, sha256Form } from '../../support/jit.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

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

/** With a body of these users, and a command for their organization. */
async function openWith(humanUsers: readonly object[]) {
  const workspace = await openJitWorkspace();
  workspace.writeBody('body.json', humanUsers);
  return { ...workspace, importing: `import-users body.json --org=${workspace.server.orgId} --jit` };
}

it('import-users --jit creates users without a password as active, and emails only unverified addresses', async () => {
  const { run, call, methodsOf, importing } = await openWith([
    userOf('alice', true),
    userOf('bob', false, { otpCode: 'JBSWY3DPEHPK3PXP' }),
    userOf('carol', true, { hashedPassword: { value: hash } }),
  ]);
  const tallyOf = (ran: Ran) => eventOf(ran, 'run:end').tally;
  const forecast = await succeeded(run('check body.json --jit --max-emails=0 --target-profile=self-hosted'));
  expect(tallyOf(forecast).emails.size).toBe(0);
  expect(Object.fromEntries(tallyOf(forecast).signIn)).toEqual({ 'old-system': 2, password: 1 });

  const sending = `${importing} --send-verification`;
  expect((await run(`${sending} --max-emails=0`)).exitCode).toBe(4);
  const imported = await succeeded(run(`${sending} --max-emails=1`));
  expect(tallyOf(imported).reasons.has('single:otp')).toBe(false);
  const { body: found } = await call('POST /v2/users', {});
  for (const [name, isVerified] of [
    ['alice', true],
    ['bob', false],
  ]) {
    const { userId, state, human } = found.result.find((user: any) => user.username === name);
    expect([state, human.email.isVerified ?? false]).toEqual(['USER_STATE_ACTIVE', isVerified]);
    expect(human).toMatchObject({
      profile: { familyName: name, gender: 'GENDER_FEMALE', preferredLanguage: 'de' },
      phone: { phone: '+41791234567', isVerified: true },
    });
    expect(await methodsOf(userId)).toEqual(name === 'bob' ? ['TOTP'] : []);
  }

  await succeeded(run('verify body.json --jit --allow-extra'));
  // The next run takes them for unchanged.
  const again = '--max-emails=1 --since-journal=body.json.users.journal --journal=second.journal';
  const second = await succeeded(run(`${sending} ${again}`));
  expect(tallyOf(second)).toMatchObject({ written: 0, withNotes: 0, skipped: 3 });
});

it('jit serve --id-map finds users with new ids, also if two listed users have one name', async () => {
  const { run, serve, setUp, logIn, write, writeList, importing } = await openWith([userOf('alice', true)]);
  await succeeded(run(`${importing} --ids=new`));
  // The other one is of an organization that is not imported here.
  writeList([
    { id: 'old-alice', userName: 'alice', form: sha256Form('Old-Secret-1') },
    { id: 'other-alice', userName: 'alice', form: sha256Form('Old-Secret-2') },
  ]);
  const idMap = '--id-map body.json.ids.csv';
  const receiver = await serve(`--verifier hashes:jit.ndjson ${idMap}`);
  await setUp(receiver.url);
  const before = await run(`jit remaining --users jit.ndjson ${idMap}`);
  expect(before.stdout).toMatch(/^[\da-f]{24} {2}alice {2}alice@example.org {2}active$/m);
  expect(await logIn('alice', 'Old-Secret-2')).toBe(400);
  expect(await logIn('alice', 'Old-Secret-1')).toBe(201);
  write('ids.json', '{}\n');
  write('broken.csv', 'old_id,new_id,state\na,1,created\nb"b,2,created\n');
  for (const [flags, message] of [
    ['hashes:jit.ndjson --id-map ids.json', 'ids.json is not an id map'],
    ['hashes:jit.ndjson --id-map broken.csv', 'broken.csv: the file is not CSV at line 3'],
    ['hashes:nowhere.ndjson', 'nowhere.ndjson: there is no such file'],
  ])
    await expect(serve(`--journal x.journal --verifier ${flags}`)).rejects.toThrow(message);
});

it('verify counts users with a placeholder by the settings of the run or by --jit', async () => {
  const { run, runAlone, write, server } = await openJitWorkspace();
  const value = Buffer.alloc(64, 1).toString('base64');
  const secretData = { value, salt: value.slice(0, 24) };
  const credentialData = { hashIterations: 27_500, algorithm: 'pbkdf2-sha256' };
  const refused = { credentials: [{ type: 'password', secretData, credentialData }] };
  write('realm.json', realmOf(keycloakUser('ann', refused), keycloakUser('bob')));
  const from = '--from=keycloak --realm=realm.json';
  const list = '--jit-list=jit.ndjson --jit-placeholder';
  const signInOf = async (flags: string) => {
    const ran = await succeeded(run(`verify ${from} --org=${server.orgId} --allow-extra ${flags}`));
    return eventOf(ran, 'verify:end').signIn.flatMap(({ kind, count }) => (count > 0 ? [kind] : []));
  };
  await run(`import-users ${from} --org=${server.orgId} --jit ${list}`);
  expect(await signInOf('')).toEqual(['first-login', 'old-system']);
  expect((await runAlone('runs')).stdout).toContain('--on-refused-hash=drop');
  await run('undo --journal=realm.json.users.journal --yes=2');

  // The journal of a body does not name the export.
  const migrated = await runAlone(
    `migrate keycloak --org=${server.orgId} --realm=realm.json --target-profile=self-hosted ${list}`,
  );
  expect(noticesOf(migrated, 'jit:listed')).toContain('at the old system. Import with');
  await run(`import-users importBody.json --org=${server.orgId} --jit`);
  write('realm.json.users.journal', '');
  expect(await signInOf('--jit')).toEqual(['old-system']);
  expect(await signInOf('--target-profile=self-hosted')).toEqual(['not-known']);
  expect(await signInOf('')).toEqual(['not-known']);
});
