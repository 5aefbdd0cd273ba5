import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { noticesOf, succeeded, codesOf, textsOf as texts } from '../support/desk.ts';
import {
  grantsIn,
  keysIn,
  namesIn,
  notesOf as notes,
  rolesByUser,
  routeNames,
  startMigration,
  usersIn,
  type Migration,
} from '../support/migration.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };
import { exportPath, samplePath } from '../support/samples.ts';

let migration: Migration;
/** Milliseconds that the service is ahead. */
let ahead: number;
beforeEach(async () => {
  ahead = 0;
  migration = await startMigration({ clock: { ...systemClock, now: () => systemClock.now() + ahead } });
  put('realm.json', richRealm);
});

const put = (name: string, value: unknown) => migration.put(name, value);
const orgsIn = () => migration.orgsIn();
const migrate = (flags: string) => migration.run(`migrate keycloak --org=1 --realm=realm.json ${flags}`);

const ownKeys = [
  'client:shop:owner',
  'client:shop:viewer',
  'group:/staff',
  'group:/staff/dev',
  'realm:admin',
  'realm:auditor',
];
const several = '--org-by=organization --create-orgs';

it('migrate --roles refuses roles that differ only in case or control characters', async () => {
  const putRoles = (...names: readonly string[]) => {
    const realm = [...richRealm.roles.realm, ...names.map((name) => ({ name }))];
    put('realm.json', { ...richRealm, roles: { ...richRealm.roles, realm } });
  };
  for (const [names, text] of [
    [['a b', 'a\tb'], '"realm:a\\tb" and "realm:a b" differ in control characters only'],
    [['Admin'], '"realm:Admin" and "realm:admin" differ in upper and lower case only'],
  ] as const) {
    putRoles(...names);
    const { problem, exitCode } = await migrate('--roles=new:Harbour');
    expect([exitCode, problem?.message]).toEqual([2, expect.stringContaining(`the roles ${text}`)]);
  }
  put('roles.csv', 'realm:Admin,realm:admin\n');
  await succeeded(migrate('--roles=new:Harbour --role-map=roles.csv'));
  expect(keysIn(orgsIn())).not.toContain('realm:Admin');
});

describe('--further-memberships', () => {
  const flags = `${several} --roles=new:Harbour`;
  const grantsOfBob = () => {
    const users = orgsIn().flatMap(({ humanUsers = [] }) => humanUsers);
    const bob = users.find(({ user }) => user.userName === 'bob')?.userId;
    const globex = orgsIn().find(({ org }) => org?.name === 'Globex');
    return (globex?.userGrants ?? []).filter(({ userId }) => userId === bob);
  };

  it('grants: writes a user grant for each further organization', async () => {
    const ran = await succeeded(migrate(`${flags} --further-memberships=grants`));
    expect(notes(ran)).not.toHaveProperty('org:further');
    const projectGrantId = /^\d{18}$/;
    expect(grantsOfBob()).toMatchObject([{ projectGrantId, roleKeys: ['organization:member'] }]);
    for (const { projectGrant } of orgsIn()[0]!.projectGrants!)
      expect(projectGrant!.roleKeys).toContain('organization:member');
    put('roles.csv', 'organization:member,guest\n');
    const renamed = await migrate(`${flags} --further-memberships=grants --role-map=roles.csv`);
    expect(noticesOf(renamed)).not.toContain('does not define');
    expect(grantsOfBob()).toMatchObject([{ roleKeys: ['guest'] }]);
  });

  it('report: is the default and names the memberships', async () => {
    await succeeded(migrate('--further-memberships=report'));
    expect(notes(await migrate(flags))).toMatchObject({ 'org:further': 1 });
    expect(grantsOfBob()).toEqual([]);
    expect(keysIn(orgsIn())).not.toContain('organization:member');
  });

  it.each([
    ['', /--further-memberships belongs to --org-by/],
    [several, /grants belongs to --roles/],
    [`${flags} --role-map=roles.csv`, /leaves out organization:member/],
  ])('reports %j in one line', async (more, message) => {
    put('roles.csv', 'organization:*,\n');
    expect((await migrate(`--further-memberships=grants ${more}`)).problem?.message).toMatch(message);
  });
});

describe('migrate --roles', () => {
  it('writes a project with all roles and groups, and grants with included roles', async () => {
    const ran = await migrate('--roles=new:Harbour');
    const [org] = orgsIn();
    const project = { name: 'Harbour', projectRoleAssertion: true };
    expect(org!.projects).toEqual([{ projectId: /^\d{18}$/, project }]);
    expect(keysIn(orgsIn())).toEqual(ownKeys);
    expect(org!.projectRoles).toContainEqual(
      expect.objectContaining({ roleKey: 'client:shop:viewer', displayName: 'viewer', group: 'shop' }),
    );
    expect(rolesByUser(orgsIn())).toEqual({
      ada: ['client:shop:owner', 'client:shop:viewer', 'group:/staff/dev', 'realm:admin', 'realm:auditor'],
      bob: ['client:shop:viewer'],
    });
    expect(notes(ran)).not.toHaveProperty('role:not-migrated');
    expect(notes(ran)).not.toHaveProperty('group:not-migrated');
    expect(texts(ran)).toContain('The body has 6 roles of the project "Harbour", and 2 user grants.');
  });

  it('renames, merges and drops roles by --role-map', async () => {
    put('roles.csv', 'role,key\nrealm:*,staff\nrealm:admin,boss\nclient:shop:owner\ngroup:*,\n');
    await succeeded(migrate('--roles=new:Harbour --role-map=roles.csv'));
    expect(keysIn(orgsIn())).toEqual(['boss', 'client:shop:viewer', 'staff']);
    const ada = ['boss', 'client:shop:viewer', 'staff'];
    expect(rolesByUser(orgsIn())).toEqual({ ada, bob: ['client:shop:viewer'] });
    put('roles.csv', 'admin,boss\nrealm:admn,boss\n');
    expect(texts(await migrate('--roles=new:Harbour --role-map=roles.csv'))).toContain(
      '--role-map names roles that the export does not define: admin, realm:admn.',
    );
  });

  it('resolves cyclic composites, and keeps the roles of two realms apart', async () => {
    const role = (name: string, inner: string) => ({ name, composites: { realm: [inner] } });
    const realm = (name: string, inner: string) => ({
      realm: name,
      roles: { realm: [role('a', inner), role('b', 'a'), { name: 'c' }] },
      users: [{ id: `u-${name}`, username: name, email: `${name}@x.example`, realmRoles: ['a'] }],
    });
    put('realm.json', [realm('one', 'b'), realm('two', 'c')]);
    await migrate('--roles=new:P --org-by=realm --create-orgs --without-password=import');
    expect(rolesByUser(orgsIn())).toEqual({ one: ['realm:a', 'realm:b'], two: ['realm:a', 'realm:c'] });
  });

  it('gives a group with a slash in its name no roles of another group', async () => {
    const dev = { name: 'dev', path: '/staff/dev' };
    const groups = [
      { name: 'staff', path: '/staff', realmRoles: ['admin'], subGroups: [dev] },
      { name: 'staff/guests', path: '/staff/guests', realmRoles: ['viewer'] },
    ];
    const users = ['dev', 'guests'].map((name) => keycloakUser(name, { groups: [`/staff/${name}`] }));
    put('realm.json', { ...realmOf(...users), groups });
    await migrate('--roles=new:P --without-password=import');
    expect(rolesByUser(orgsIn())).toEqual({
      dev: ['group:/staff/dev', 'realm:admin'],
      guests: ['group:/staff/guests', 'realm:viewer'],
    });
  });

  it('refuses two groups with one path and different roles, and merges groups with equal roles', async () => {
    const inner = { name: 'guests', path: '/staff/guests' };
    const realm = (realmRoles: string[]) => ({
      ...realmOf(keycloakUser('ann', { groups: ['/staff/guests'] })),
      groups: [
        { name: 'staff', path: '/staff', realmRoles: ['admin'], subGroups: [inner] },
        { ...inner, name: 'staff/guests', realmRoles },
      ],
    });
    put('realm.json', realm(['admin']));
    await migrate('--roles=new:P --without-password=import');
    expect(rolesByUser(orgsIn())).toEqual({ ann: ['group:/staff/guests', 'realm:admin'] });
    put('realm.json', realm(['viewer']));
    const { problem } = await migrate('--roles=new:P');
    expect(problem).toMatchObject({ code: 'usage', message: /two groups with the path "\/staff\/guests"/ });
  });

  it('reports built-in Keycloak roles that are left out', async () => {
    const clientRoles = { 'realm-management': ['realm-admin'] };
    const admin = { ...richRealm.users[0]!, realmRoles: [], groups: [], clientRoles };
    put('realm.json', { ...richRealm, users: [admin] });
    expect(notes(await migrate('--roles=new:P --report=report.json'))).toMatchObject({
      'role:built-in': 1,
    });
    expect(migration.read('report.json')).toContain('client:realm-management:realm-admin');
  });

  it.each([
    ['--roles=Harbour', /--roles Harbour names no project/],
    ['--role-map=x.csv', /--role-map belongs to --roles/],
    [
      '--roles=new:P --role-map=roles.csv',
      /^roles.csv, line 1: expected the key of a role, and its key at the target$/,
    ],
  ])('refuses %s', async (flags, message) => {
    put('roles.csv', 'realm:admin,a,b\n');
    const ran = await migrate(flags);
    expect([ran.exitCode, ran.problem?.message]).toEqual([2, message]);
  });
});

describe('migrate auth0 --roles', () => {
  const user = (id: string, name: string, app_metadata: object) => ({
    user_id: `auth0|${id}`,
    email: `${name}@x.example`,
    email_verified: true,
    app_metadata,
  });
  const authorization = { roles: ['writer'], permissions: ['read:all'], groups: ['team'] };
  const auth0 = (flags = '') =>
    migration.run(`migrate auth0 --org=1 --users=users.json --roles=new:P ${flags}`);
  beforeEach(() =>
    put('users.json', [user('1', 'ann', { roles: ['reader'] }), user('2', 'bob', { authorization })]),
  );

  it('reads roles from app_metadata', async () => {
    await auth0();
    expect(rolesByUser(orgsIn())).toEqual({
      'ann@x.example': ['role:reader'],
      'bob@x.example': ['group:team', 'permission:read:all', 'role:writer'],
    });
  });

  it('reads roles and their permissions from lists of the Management API', async () => {
    const permission = (permission_name: string) => ({
      permission_name,
      resource_server_identifier: 'https://api',
    });
    const rows = [
      { user_id: 'auth0|1', roles: [{ id: 'rol_1', name: 'editor' }] },
      { user_id: 'auth0|2', ...permission('read:orders') },
      { id: 'rol_1', name: 'editor', permissions: [permission('write:orders')] },
    ];
    put('roles.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    await auth0('--role-members=roles.ndjson');
    expect(rolesByUser(orgsIn())).toMatchObject({
      'ann@x.example': ['permission:https://api:write:orders', 'role:editor', 'role:reader'],
      'bob@x.example': expect.arrayContaining(['permission:https://api:read:orders']),
    });
  });

  it('stops at a record that names no role', async () => {
    put('roles.csv', 'user_id,role\nauth0|1,\n');
    const { problem } = await auth0('--role-members=roles.csv');
    expect(problem?.message).toMatch('record 1 names no role of a user');
  });
});

describe('a body with roles', () => {
  const samples = [
    ['the realm of these tests', 'realm.json'],
    ['a realm of Keycloak 26', exportPath('kc-26.4.7-harbour/harbour.json')],
    ['a realm for keycloak-config-cli', samplePath('keycloak/kc-26-orgs-full-realm-config-cli.json')],
  ].filter((sample): sample is [string, string] => sample[1] !== undefined);
  const further = `${several} --further-memberships=grants`;
  /** Returns how many users are in the body. */
  const convert = async (flags = '--roles=new:Harbour', path = 'realm.json') => {
    const source = `--org=${migration.org} --realm=${path} --target-profile=all-verifiers`;
    expect((await migration.run(`migrate keycloak ${source} ${flags}`)).problem).toBeUndefined();
    return usersIn(orgsIn());
  };
  const projectsAt = async () =>
    (await migration.exported()).flatMap(({ projects = [] }) =>
      projects.map(({ projectId, project: { name } }) => ({ projectId, name })),
    );
  const seedProject = (name: string, more: object = {}) =>
    migration.seed({ orgId: migration.org, projects: [{ projectId: '4711', project: { name } }], ...more });
  const admin = { projectId: '4711', roleKey: 'realm:admin', displayName: 'Admin' };
  const day = 24 * 60 * 60 * 1000;

  describe.each(routeNames)('%s', (route) => {
    const via = () => migration.via(route);

    it.each(samples)('%s arrives completely, compares as equal, and is deleted by undo', async (_, path) => {
      await convert(`--roles=new:Harbour ${further}`, path);
      const { sent, there, undone } = await migration.roundTrip(route);
      const parts = (orgs: Parameters<typeof keysIn>[0]) => [keysIn(orgs), grantsIn(orgs), namesIn(orgs)];
      // CreateUser refuses his address.
      const rejected = notes(sent)['single:email'] === 1 ? 'idn' : '';
      const arrived = orgsIn().map(({ humanUsers = [], ...org }) => ({
        ...org,
        humanUsers: humanUsers.filter(({ user }) => user.userName !== rejected),
      }));
      expect(parts(there)).toEqual(parts(arrived));
      expect(codesOf(sent)).toContain('org:created');
      expect(notes(sent)).not.toHaveProperty('single:grant');
      // User grants are later than the last user, and the list of users does not come so far.
      expect(noticesOf(undone)).not.toContain('list of users');
      expect(noticesOf(await via().undo(''))).toMatch(/No user of this run is left to delete\.$/m);
    });

    it('extends an existing project, and undo removes only the additions', async () => {
      await seedProject('Old', { projectRoles: [admin] });
      const users = await convert(`--roles=project:4711 ${further}`);
      await via().send();
      expect(keysIn(await migration.exported())).toEqual([...ownKeys, 'organization:member'].toSorted());
      await succeeded(via().verify());
      await succeeded(via().undo(`--yes=${users}`));
      const after = await migration.exported();
      expect(keysIn(after)).toEqual(['realm:admin']);
      expect(after.flatMap(({ projectGrants = [] }) => projectGrants)).toEqual([]);
      expect(noticesOf(await via().undo(''))).not.toContain('that the run added');
    });

    it('undo keeps roles that users had before the run', async () => {
      const users = await convert('--roles=project:4711');
      const [{ humanUsers = [], userGrants = [] } = {}] = orgsIn();
      const ada = humanUsers.filter(({ user }) => user.userName === 'ada');
      const given = userGrants.filter(({ userId }) => userId === ada[0]!.userId);
      const had = given.map((grant) => ({ ...grant, roleKeys: ['realm:admin'] }));
      await seedProject('Old', { humanUsers: ada, projectRoles: [admin], userGrants: had });
      const { store } = migration;
      const [there, grants] = [[...store.users.values()], [...store.userGrants.values()]];
      for (const user of there) store.users.put({ ...user, created: user.created - 2 * day });
      for (const grant of grants) store.userGrants.put({ ...grant, created: grant.created - day });
      await via().send();
      await via().undo(`--yes=${users - 1}`);
      expect(rolesByUser(await migration.exported())).toEqual({ ada: ['realm:admin'] });
    });

    const call = async (route: string, body?: object) => {
      const [method, path] = route.split(' ');
      expect((await migration.to.call(`${method} /management/v1/${path}`, body)).status).toBe(200);
    };
    const giveRole = (projectId: string) =>
      call(`POST users/${migration.to.server.users.nobody}/grants`, {
        projectId,
        roleKeys: ['realm:auditor'],
      });
    const callProject = (path: string, body: object) => (projectId: string) =>
      call(`POST projects/${projectId}/${path}`, body);
    const createAgain = async (projectId: string) => {
      await call(`DELETE projects/${projectId}`);
      await migration.seed({
        orgId: migration.org,
        projects: [{ projectId, project: { name: 'Harbour' } }],
      });
    };
    const addManager = (projectId: string) => {
      const member = { projectId, userId: migration.to.server.users.nobody, roles: ['PROJECT_OWNER'] };
      return migration.seed({ orgId: migration.org, projectMembers: [member] });
    };
    const later = { roles: [{ key: 'later', displayName: 'Later' }] };
    const toOther = { grantedOrgId: '900', roleKeys: ['realm:admin'] };
    it.each([
      ['has given roles', giveRole, /has roles of it/],
      ['has added roles', callProject('roles/_bulk', later), /a role that was created since, later/],
      ['has granted it', callProject('grants', toOther), /was granted since to organization 900/],
      ['has made someone its manager', addManager, /was made a manager of it since/],
      ['has created it again', createAgain, /it was not created while the run was at work\.$/m],
    ])('undo keeps a project if someone %s since', async (_, act, why) => {
      await migration.seed({ orgId: '900', org: { name: 'Other' } });
      const users = await convert();
      await via().send();
      const { projectId } = (await projectsAt()).find(({ name }) => name === 'Harbour')!;
      ahead = day;
      await act(projectId);
      const undone = await via().undo(`--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      const named = `Project ${projectId} Harbour stays: `;
      const [stays] = texts(undone).filter((text) => text.startsWith(named));
      expect(stays).toMatch(why);
      expect((await projectsAt()).map(({ name }) => name)).toContain('Harbour');
    });

    it('verify names a missing role and a user with other roles', async () => {
      await convert();
      await via().send();
      const [org] = orgsIn();
      const [ada, ...others] = org!.userGrants!;
      const more = { projectId: org!.projects![0]!.projectId, roleKey: 'new', displayName: 'new' };
      const projectRoles = [...org!.projectRoles!, more];
      const userGrants = [{ ...ada!, roleKeys: ['realm:auditor'] }, ...others];
      put('importBody.json', { dataOrgs: { orgs: [{ ...org!, projectRoles, userGrants }] } });
      const ran = await via().verify();
      expect(ran.exitCode).toBe(4);
      expect(noticesOf(ran)).toMatch(/^role new of project \d+ is not at the target$/m);
      expect(ran.stdout).toMatch(/^\* id-of-ada ada: grants$/m);
    });
  });

  it('import refuses it if another project has the name', async () => {
    await convert();
    await seedProject('harbour');
    const { problem } = await migration.via('in bulk').send();
    expect(problem?.message).toMatch('has another project named Harbour (4711)');
    expect(problem?.hint).toContain('--roles=project:4711');
  });

  it('import-users uses an existing project of the same name', async () => {
    const users = await convert();
    await seedProject('Harbour');
    const { send, verify, undo } = migration.via('one by one');
    await succeeded(send());
    await succeeded(verify());
    await undo(`--yes=${users}`);
    expect((await projectsAt()).map(({ projectId }) => projectId)).toContain('4711');
    expect(keysIn(await migration.exported())).toEqual([]);
  });

  it('a dry run reports what would be added', async () => {
    await convert();
    const ran = await migration.via('one by one').send('--dry-run');
    expect(texts(ran)).toContain('1 project with its roles would be added.');
  });
});
