/** What is said of Keycloak inputs as a whole: exports that show no credentials, or no user, or not every user. */
import { describe, expect, it } from 'vitest';
import { textsOf } from '../../support/desk.ts';
import { convertFiles, keycloakUser as sampleUser } from '../../support/conversion.ts';

const account = { id: 'a', username: 'service-account-shop', enabled: true, serviceAccountClientId: 'shop' };
const shown = { credentials: [] };

const convert = (files: object, flags: readonly string[]) =>
  convertFiles(['migrate', 'keycloak', '--org=1', '--target-profile=all-verifiers', ...flags], files);

/** Of one file. */
const convertOne = (realm: unknown, ...flags: readonly string[]) =>
  convert({ 'r.json': realm }, ['--realm=r.json', ...flags]);

describe('a Keycloak export without credentials', () => {
  it.each([
    ['a list of the REST API', [sampleUser('ada', { totp: true, access: {} }), sampleUser('ben')]],
    [
      'a partial export',
      { realm: 'r', users: [account, sampleUser('ada', { totp: true }), sampleUser('ben')] },
    ],
    ['a list of realms', [{ realm: 'r', users: [sampleUser('ada', { totp: true }), sampleUser('ben')] }]],
    [
      'one user a line',
      [sampleUser('ada', { totp: true }), sampleUser('ben')].map((user) => JSON.stringify(user)).join('\n'),
    ],
    [
      'YAML',
      'realm: r\nusers:\n  - {id: id-ada, username: ada, email: a@b.example, emailVerified: true, totp: true, enabled: true, firstName: A, lastName: B}\n  - {id: id-ben, username: ben, email: b@b.example, emailVerified: true, enabled: true, firstName: A, lastName: B}\n',
    ],
  ])('(%s) is reported first, and no user is reported as having no password', async (_, realm) => {
    const ran = await convertOne(realm);
    expect(ran).toMatchObject({ exitCode: 0, names: ['ada', 'ben'], notices: ['input:no-credentials'] });
    const told = ran.events.filter(({ type }) => !['run:start', 'run:progress'].includes(type));
    expect(JSON.stringify(told.slice(0, 2))).toMatch(/kc.sh export.*all users have to set a new password/);
    expect(ran.reasons).toMatchObject({ 'password:not-exported': 2, 'otp:not-exported': 1 });
    expect(ran.reasons).not.toHaveProperty('password:none');
  });

  it('is not assumed for an export of kc.sh whose users have no password', async () => {
    const ran = await convertOne({ realm: 'r', users: [account, sampleUser('ada', shown)] });
    expect(ran).toMatchObject({ notices: [], reasons: { 'password:none': 1 } });
  });
});

describe('a Keycloak export without human users', () => {
  it.each([
    ['no users', { realm: 'r' }],
    ['users: null', { realm: 'r', users: null }],
    ['service accounts', { realm: 'r', users: [account] }],
    ['service accounts as kc.sh writes them', { realm: 'r', users: [{ ...account, ...shown }] }],
    ['federated storage', { realm: 'r', federatedUsers: [{ id: 'f:1:2' }] }],
    ['an empty list', []],
  ])('(%s) causes a warning and exit code 3', async (_, realm) => {
    expect(await convertOne(realm)).toMatchObject({ notices: ['input:no-users'], exitCode: 3, names: [] });
  });

  it('is accepted with --service-accounts=machine-users', async () => {
    const ran = await convertOne({ realm: 'r', users: [account] }, '--service-accounts=machine-users');
    expect(ran).toMatchObject({ notices: [], exitCode: 0 });
  });
});

describe('a users file of a Keycloak folder export', () => {
  const files = {
    'dir/r-realm.json': { realm: 'r' },
    'dir/r-users-0.json': { realm: 'r', users: [sampleUser('ada', shown)] },
    'dir/r-users-1.json': { realm: 'r', users: [sampleUser('ben', shown)] },
    'dir/other-users-0.json': { realm: 'other', users: [sampleUser('eve', shown)] },
  };

  it('names its unread sibling files', async () => {
    const ran = await convert(files, ['--realm=dir/r-users-0.json']);
    expect(ran.names).toEqual(['ada']);
    expect(ran.notices).toEqual(['input:siblings-unread']);
    const text = textsOf(ran).join();
    expect(text).toContain('dir/r-users-1.json');
    expect(text).not.toContain('other-users');
  });

  it('names the files of the folder that are not read because of their names', async () => {
    const others = { 'dir/staff.json': { realm: 'staff' }, 'dir/notes.txt': '' };
    const ran = await convert({ ...files, ...others }, ['--realm=dir', '--realm-name=r']);
    expect(ran.notices).toEqual(['input:siblings-unread']);
    expect(textsOf(ran).join()).toMatch(/are not read: staff\.json\. If/);
  });

  it.each([
    [['dir/r-users-0.json', './dir/r-users-1.json']],
    [['dir/r-users-1.json', 'dir/r-users-0.json']],
    [['dir/r-realm.json', './dir/r-users-0.json']],
  ])('is read once and without a warning if all siblings are named (%j)', async (paths) => {
    const ran = await convert(
      files,
      paths.map((path) => `--realm=${path}`),
    );
    expect(ran.names.toSorted()).toEqual(['ada', 'ben']);
    expect(ran.notices).not.toContain('input:siblings-unread');
    expect(ran.exitCode).toBe(0);
  });
});

describe('a repeated key in a Keycloak realm', () => {
  const list = (...names: string[]) => JSON.stringify(names.map((name) => sampleUser(name, shown)));

  it.each([
    ['a realm', `{"users":${list('ada')},"realm":"r","users":${list('ben', 'cy')}}`],
    [
      'with null between',
      `{"users":${list('ada')},"realm":"r","users":null,"us\\u0065rs":${list('ben', 'cy')}}`,
    ],
    ['a list of realms', `[{"realm":"q"},{"realm":"r","users":${list('ada')},"users":${list('ben', 'cy')}}]`],
    [
      'the operator',
      `{"kind":"KeycloakRealmImport","spec":{"realm":{"realm":"r","users":${list('ada')},"users":${list('ben', 'cy')}}}}`,
    ],
  ])('(%s): both users lists are read', async (_, text) => {
    expect((await convertOne(text)).names).toEqual(['ada', 'ben', 'cy']);
  });

  it('is refused for the realm name', async () => {
    const ran = await convertOne(`{"realm":"a","users":${list('ada')},"realm":"b"}`);
    expect(ran.problem?.code).toBe('input:duplicate-key');
  });
});
