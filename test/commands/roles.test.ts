import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import * as migrations from '../support/migration.ts';
import {
  createMigration,
  createSteps,
  notesOf as notes,
  routeNames,
  textsOf as texts,
  type BodyGrant,
  type BodyOrg as Org,
  type Migration,
} from '../support/migration.ts';
import type { Ran } from '../support/program.ts';
import { richRealm } from '../support/rich-realm.ts';
import { exportPath, samplePath } from '../support/samples.ts';

let to: Instance;
let migration: Migration;
beforeEach(() => {
  migration = createMigration(() => to);
  put('realm.json', richRealm);
});

const put = (name: string, value: unknown): void => migration.put(name, value);
const orgsIn = (name?: string): readonly Org[] => migration.orgsIn(name);
const run = (...argv: string[]): Promise<Ran> => migration.run(...argv);
const migrate = (...flags: string[]): Promise<Ran> =>
  run('migrate', 'keycloak', '--org=1', '--realm=realm.json', ...flags);
const rolesByUser = (orgs = orgsIn()) => migrations.rolesByUser(orgs);
const grantsOf = (orgs = orgsIn()) => migrations.grantsIn(orgs);
const keysIn = (orgs = orgsIn()) => migrations.keysIn(orgs);

const ownKeys = [
  'client:shop:owner',
  'client:shop:viewer',
  'group:/staff',
  'group:/staff/dev',
  'realm:admin',
  'realm:auditor',
];

it('roles that differ in upper and lower case only are refused before anything is written', async () => {
  put('realm.json', {
    ...richRealm,
    roles: { ...richRealm.roles, realm: [...richRealm.roles.realm, { name: 'Admin' }] },
  });
  const { problem, exitCode } = await migrate('--roles=new:Harbour');
  expect(exitCode).toBe(2);
  expect(problem?.message).toMatch(
    /^the roles "realm:(?:admin" and "realm:Admin|Admin" and "realm:admin)" differ in upper and lower case only/,
  );
  put('roles.csv', 'realm:Admin,realm:admin\n');
  expect((await migrate('--roles=new:Harbour', '--role-map=roles.csv')).problem).toBeUndefined();
  expect(keysIn()).not.toContain('realm:Admin');
});

describe('--further-memberships', () => {
  const flags = ['--org-by=organization', '--create-orgs', '--roles=new:Harbour'];
  const grantsIn = (name: string): readonly BodyGrant[] =>
    orgsIn().find(({ org }) => org?.name === name)?.userGrants ?? [];
  const idOf = (userName: string): string | undefined =>
    orgsIn()
      .flatMap(({ humanUsers = [] }) => humanUsers)
      .find(({ user }) => user.userName === userName)?.userId;

  it('grants: a user grant in each organization beside the first', async () => {
    const ran = await migrate(...flags, '--further-memberships=grants');
    expect(ran.problem).toBeUndefined();
    expect(notes(ran)).not.toHaveProperty('org:further');
    expect(grantsIn('Globex')).toContainEqual(
      expect.objectContaining({
        userId: idOf('bob'),
        projectGrantId: expect.stringMatching(/^\d{18}$/),
        roleKeys: ['organization:member'],
      }),
    );
    expect(orgsIn()[0]!.projectGrants?.map(({ projectGrant }) => projectGrant.roleKeys)).toEqual([
      expect.arrayContaining(['organization:member']),
      expect.arrayContaining(['organization:member']),
    ]);
    put('roles.csv', 'organization:member,guest\n');
    const renamed = await migrate(...flags, '--further-memberships=grants', '--role-map=roles.csv');
    expect(texts(renamed).join('\n')).not.toContain('does not define');
    expect(grantsIn('Globex')).toContainEqual(expect.objectContaining({ roleKeys: ['guest'] }));
  });

  it('report is the default: they are named', async () => {
    const ran = await migrate(...flags);
    expect(notes(ran)).toMatchObject({ 'org:further': 1 });
    expect(grantsIn('Globex').some(({ userId }) => userId === idOf('bob'))).toBe(false);
    expect(keysIn()).not.toContain('organization:member');
  });

  it.each([
    [['--further-memberships=grants'], /--further-memberships grants belongs to --org-by/],
    [['--further-memberships=grants', '--org-by=organization', '--create-orgs'], /grants belongs to --roles/],
    [[...flags, '--further-memberships=grants', '--role-map=roles.csv'], /leaves out organization:member/],
  ])('%j is one clear line', async (argv, message) => {
    put('roles.csv', 'organization:*,\n');
    expect((await migrate(...argv)).problem?.message).toMatch(message);
  });
});

describe('migrate --roles', () => {
  it('writes a project with all roles and groups, and what users have with all that it includes', async () => {
    const ran = await migrate('--roles=new:Harbour');
    const [org] = orgsIn();
    expect(org!.projects).toEqual([
      {
        projectId: expect.stringMatching(/^\d{18}$/),
        project: { name: 'Harbour', projectRoleAssertion: true },
      },
    ]);
    expect(keysIn()).toEqual(ownKeys);
    expect(org!.projectRoles).toContainEqual(
      expect.objectContaining({ roleKey: 'client:shop:viewer', displayName: 'viewer', group: 'shop' }),
    );
    expect(rolesByUser()).toEqual({
      ada: ['client:shop:owner', 'client:shop:viewer', 'group:/staff/dev', 'realm:admin', 'realm:auditor'],
      bob: ['client:shop:viewer'],
    });
    expect(notes(ran)).not.toHaveProperty('role:not-migrated');
    expect(notes(ran)).not.toHaveProperty('group:not-migrated');
    expect(texts(ran)).toContain('The body has 6 roles of the project "Harbour", and 2 user grants.');
  });

  it('renames, merges and drops by --role-map', async () => {
    put('roles.csv', 'role,key\nrealm:*,staff\nrealm:admin,boss\nclient:shop:owner\ngroup:*,\n');
    const ran = await migrate('--roles=new:Harbour', '--role-map=roles.csv');
    expect(keysIn()).toEqual(['boss', 'client:shop:viewer', 'staff']);
    expect(rolesByUser()).toEqual({
      ada: ['boss', 'client:shop:viewer', 'staff'],
      bob: ['client:shop:viewer'],
    });
    expect(ran.problem).toBeUndefined();
    put('roles.csv', 'realm:admn,boss\n');
    expect(texts(await migrate('--roles=new:Harbour', '--role-map=roles.csv'))).toContain(
      '--role-map names roles that the export does not define: realm:admn.',
    );
  });

  it('grants the project to the organizations of the users', async () => {
    put('map.csv', 'acme,100\n');
    await migrate('--roles=new:Harbour', '--org-by=organization', '--org-map=map.csv');
    const [owner, acme] = orgsIn();
    expect([owner!.orgId, acme!.orgId]).toEqual(['1', '100']);
    expect(owner!.projectGrants!.map(({ projectGrant }) => projectGrant)).toEqual([
      {
        projectId: owner!.projects![0]!.projectId,
        grantedOrgId: '100',
        roleKeys: expect.arrayContaining(ownKeys),
      },
    ]);
    expect(acme!.userGrants).toHaveLength(2);
    expect(acme!.userGrants![0]!.projectGrantId).toMatch(/^\d{18}$/);
  });

  it('resolves composites that include each other, and keeps roles of one realm apart from another', async () => {
    const realm = (name: string, inner: string) => ({
      realm: name,
      roles: {
        realm: [
          { name: 'a', composites: { realm: [inner] } },
          { name: 'b', composites: { realm: ['a'] } },
          { name: 'c' },
        ],
      },
      users: [{ id: `u-${name}`, username: name, email: `${name}@x.example`, realmRoles: ['a'] }],
    });
    put('realm.json', [realm('one', 'b'), realm('two', 'c')]);
    await migrate('--roles=new:P', '--org-by=realm', '--create-orgs', '--without-password=import');
    expect(rolesByUser()).toEqual({ one: ['realm:a', 'realm:b'], two: ['realm:a', 'realm:c'] });
  });

  it('says which roles of Keycloak itself are left out', async () => {
    const admin = {
      ...richRealm.users[0]!,
      realmRoles: [],
      groups: [],
      clientRoles: { 'realm-management': ['realm-admin'] },
    };
    put('realm.json', { ...richRealm, users: [admin] });
    const ran = await migrate('--roles=new:P', '--report=report.json');
    expect(notes(ran)).toMatchObject({ 'role:built-in': 1 });
    expect(migration.read('report.json')).toContain('client:realm-management:realm-admin');
  });

  it.each([
    [['--roles=Harbour'], /--roles Harbour names no project/],
    [['--role-map=x.csv'], /--role-map belongs to --roles/],
    [['--role-members=x.csv'], /--role-members belongs to --roles/],
  ])('%j is refused', async (flags, message) => {
    const ran = await migrate(...flags);
    expect(ran.exitCode).toBe(2);
    expect(ran.problem?.message).toMatch(message);
  });

  it('refuses a broken row of the map', async () => {
    put('roles.csv', 'realm:admin,a,b\n');
    const ran = await migrate('--roles=new:P', '--role-map=roles.csv');
    expect(ran.problem?.message).toBe(
      'roles.csv, line 1: expected the key of a role, and its key at the target',
    );
  });
});

describe('roles of Auth0', () => {
  const users = [
    { user_id: 'auth0|1', email: 'ann@x.example', email_verified: true, app_metadata: { roles: ['reader'] } },
    {
      user_id: 'auth0|2',
      email: 'bob@x.example',
      email_verified: true,
      app_metadata: { authorization: { roles: ['writer'], permissions: ['read:all'], groups: ['team'] } },
    },
  ];
  const auth0 = (...flags: string[]): Promise<Ran> =>
    run('migrate', 'auth0', '--org=1', '--users=users.json', '--roles=new:P', ...flags);
  beforeEach(() => put('users.json', users));

  it('are read from app_metadata', async () => {
    await auth0();
    expect(rolesByUser()).toEqual({
      'ann@x.example': ['role:reader'],
      'bob@x.example': ['group:team', 'permission:read:all', 'role:writer'],
    });
  });

  it('and from lists of the Management API, with the permissions of each role', async () => {
    put(
      'roles.ndjson',
      [
        { user_id: 'auth0|1', roles: [{ id: 'rol_1', name: 'editor' }] },
        { user_id: 'auth0|2', permission_name: 'read:orders', resource_server_identifier: 'https://api' },
        {
          id: 'rol_1',
          name: 'editor',
          permissions: [{ permission_name: 'write:orders', resource_server_identifier: 'https://api' }],
        },
      ]
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    await auth0('--role-members=roles.ndjson');
    expect(rolesByUser()).toMatchObject({
      'ann@x.example': ['permission:https://api:write:orders', 'role:editor', 'role:reader'],
    });
    expect(rolesByUser()['bob@x.example']).toContain('permission:https://api:read:orders');
  });

  it('a record that names no role ends the run', async () => {
    put('roles.csv', 'user_id,role\nauth0|1,\n');
    const ran = await auth0('--role-members=roles.csv');
    expect(ran.problem?.message).toMatch(/record 1 names no role of a user/);
  });
});

describe('a body with roles', () => {
  let ahead = 0;
  beforeEach(async () => {
    ahead = 0;
    to = await startInstance(migration.cwd, 'to', {
      clock: { ...systemClock, now: () => systemClock.now() + ahead },
    });
  });
  afterEach(() => to.close());

  const exported = (): Promise<readonly Org[]> => migrations.exportFrom(migration, to);

  const samples = [
    ['the realm of these tests', undefined],
    ['a realm of Keycloak 26', exportPath('kc-26.4.7-harbour/harbour.json')],
    ['a realm for keycloak-config-cli', samplePath('keycloak/kc-26-orgs-full-realm-config-cli.json')],
  ].filter(([name, path]) => path !== undefined || name === 'the realm of these tests') as [
    string,
    string | undefined,
  ][];
  const several = ['--org-by=organization', '--create-orgs', '--further-memberships=grants'];
  const convert = async (path: string | undefined, flags: readonly string[] = several): Promise<number> => {
    const source = [
      `--org=${to.server.orgId}`,
      `--realm=${path ?? 'realm.json'}`,
      '--target-profile=all-verifiers',
    ];
    const ran = await run('migrate', 'keycloak', ...source, '--roles=new:Harbour', ...flags);
    expect(ran.problem).toBeUndefined();
    return orgsIn().reduce((sum, { humanUsers = [] }) => sum + humanUsers.length, 0);
  };
  const { send, verify, undo } = createSteps(
    () => migration,
    () => to,
  );

  describe.each(routeNames)('%s', (route) => {
    it.each(samples)('%s arrives whole, is the same, and is rolled back', async (_, path) => {
      const users = await convert(path);
      const [keys, grants] = [keysIn(), grantsOf()];
      const sent = await send(route);
      expect(sent.problem).toBeUndefined();
      expect(notes(sent)).not.toHaveProperty('single:grant');
      const there = await exported();
      expect(keysIn(there)).toEqual(keys);
      expect(grantsOf(there)).toEqual(grants);
      // In bulk, users wait for an email, and verify ends with 4.
      const { events } = await verify(route);
      const end = events.findLast((event) => event.type === 'verify:end');
      expect(end?.users).toMatchObject({ missing: 0, differs: 0, unknown: 0, extra: 0 });
      const undone = await undo(route, `--yes=${users}`);
      expect(undone).toMatchObject({ exitCode: 0, problem: undefined });
      // User grants are later than the last user, and the list of users does not come so far.
      expect(texts(undone).join('\n')).not.toContain('list of users');
      expect(
        (await exported()).flatMap(({ projects = [] }) => projects.map(({ project }) => project.name)),
      ).not.toContain('Harbour');
    });

    it('adds to a project that exists, and takes only that away', async () => {
      const project = { projectId: '4711', project: { name: 'Old' } };
      const role = { projectId: '4711', roleKey: 'realm:admin', displayName: 'Admin' };
      await to.server.seed({
        dataOrgs: { orgs: [{ orgId: to.server.orgId, projects: [project], projectRoles: [role] }] },
      });
      const users = await convert(undefined, ['--roles=project:4711', ...several]);
      await send(route);
      expect(keysIn(await exported())).toEqual([...ownKeys, 'organization:member'].toSorted());
      expect(await verify(route)).toMatchObject({ exitCode: 0 });
      expect(await undo(route, `--yes=${users}`)).toMatchObject({ exitCode: 0 });
      const after = await exported();
      expect(keysIn(after)).toEqual(['realm:admin']);
      expect(after.flatMap(({ projectGrants = [] }) => projectGrants)).toEqual([]);
    });

    it('leaves a project in which others have roles since', async () => {
      const users = await convert(undefined, []);
      await send(route);
      const { projects: [project] = [] } = (await exported()).find(({ projects }) => projects !== undefined)!;
      ahead = 24 * 60 * 60 * 1000;
      const grant = { projectId: project!.projectId, roleKeys: ['realm:auditor'] };
      const given = await fetch(`${to.url}/management/v1/users/${to.server.users.nobody}/grants`, {
        method: 'POST',
        headers: { authorization: `Bearer ${to.server.tokens.iamOwner}`, 'x-zitadel-orgid': to.server.orgId },
        body: JSON.stringify(grant),
      });
      expect(given.status).toBe(200);
      const undone = await undo(route, `--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      expect(texts(undone)).toContainEqual(
        expect.stringMatching(/^Project \d+ Harbour stays: .* has roles of it/),
      );
    });

    it('leaves roles that users had before the run, also where no user was created since', async () => {
      const users = await convert(undefined, ['--roles=project:4711']);
      const [{ orgId, humanUsers = [], userGrants = [] }] = orgsIn() as [Org];
      const ada = humanUsers.filter(({ user }) => user.userName === 'ada');
      const projects = [{ projectId: '4711', project: { name: 'Old' } }];
      const projectRoles = [{ projectId: '4711', roleKey: 'realm:admin', displayName: 'Admin' }];
      const given = userGrants.filter(({ userId }) => userId === ada[0]!.userId);
      const had = given.map((grant) => ({ ...grant, roleKeys: ['realm:admin'] }));
      await to.server.seed({
        dataOrgs: { orgs: [{ orgId, humanUsers: ada, projects, projectRoles, userGrants: had }] },
      });
      const { store } = to.server.state;
      const day = 24 * 60 * 60 * 1000;
      const there = [...store.users.values()];
      for (const user of there) store.users.put({ ...user, created: user.created - 2 * day });
      const grants = [...store.userGrants.values()];
      for (const grant of grants) store.userGrants.put({ ...grant, created: grant.created - day });
      await send(route);
      await undo(route, `--yes=${users - 1}`);
      expect(rolesByUser(await exported())).toEqual({ ada: ['realm:admin'] });
    });

    const callProject = async (path: string, body: object): Promise<void> => {
      const { projects: [project] = [] } = (await exported()).find(({ projects }) => projects !== undefined)!;
      const answer = await fetch(`${to.url}/management/v1/projects/${project!.projectId}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${to.server.tokens.iamOwner}`, 'x-zitadel-orgid': to.server.orgId },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
    };

    it.each([
      [
        'roles/_bulk',
        { roles: [{ key: 'later', displayName: 'Later' }] },
        /a role that was created since, later/,
      ],
      ['grants', { grantedOrgId: '900', roleKeys: ['realm:admin'] }, /was granted since to organization 900/],
    ])('leaves a project to which others have added %s', async (path, body, why) => {
      await to.server.seed({ dataOrgs: { orgs: [{ orgId: '900', org: { name: 'Other' } }] } });
      const users = await convert(undefined, []);
      await send(route);
      ahead = 24 * 60 * 60 * 1000;
      await callProject(path, body);
      const undone = await undo(route, `--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      expect(texts(undone).join('\n')).toMatch(why);
      expect(keysIn(await exported())).toContain('realm:admin');
    });

    it('leaves a project of the same id and name that was created since', async () => {
      const users = await convert(undefined, []);
      await send(route);
      const { projects: [project] = [] } = (await exported()).find(({ projects }) => projects !== undefined)!;
      const removed = await fetch(`${to.url}/management/v1/projects/${project!.projectId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${to.server.tokens.iamOwner}`, 'x-zitadel-orgid': to.server.orgId },
      });
      expect(removed.status).toBe(200);
      ahead = 24 * 60 * 60 * 1000;
      await to.server.seed({ dataOrgs: { orgs: [{ orgId: to.server.orgId, projects: [project!] }] } });
      const undone = await undo(route, `--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      expect(texts(undone)).toContainEqual(
        expect.stringMatching(/^Project \d+ Harbour stays: it was not created while the run was at work\.$/),
      );
    });

    it('verify names a role that is missing, and a user with other roles', async () => {
      await convert(undefined, []);
      await send(route);
      const [org] = orgsIn();
      const [ada, ...others] = org!.userGrants!;
      const more = { projectId: org!.projects![0]!.projectId, roleKey: 'new', displayName: 'new' };
      put('importBody.json', {
        dataOrgs: {
          orgs: [
            {
              ...org!,
              projectRoles: [...org!.projectRoles!, more],
              userGrants: [{ ...ada!, roleKeys: ['realm:auditor'] }, ...others],
            },
          ],
        },
      });
      const ran = await verify(route);
      expect(ran.exitCode).toBe(4);
      expect(texts(ran)).toContainEqual(
        expect.stringMatching(/^role new of project \d+ is not at the target$/),
      );
      expect(ran.stdout).toMatch(/^\* id-of-ada ada: grants$/m);
    });
  });

  it('is refused in bulk where another project has the name', async () => {
    await convert(undefined, []);
    const project = { projectId: '4711', project: { name: 'harbour' } };
    await to.server.seed({ dataOrgs: { orgs: [{ orgId: to.server.orgId, projects: [project] }] } });
    const ran = await send('in bulk');
    expect(ran.problem?.message).toMatch(/has another project named Harbour \(4711\)/);
    expect(ran.problem?.hint).toContain('--roles=project:4711');
  });

  it('finds a project of the same name one by one', async () => {
    const users = await convert(undefined, []);
    const project = { projectId: '4711', project: { name: 'Harbour' } };
    await to.server.seed({ dataOrgs: { orgs: [{ orgId: to.server.orgId, projects: [project] }] } });
    expect((await send('one by one')).problem).toBeUndefined();
    expect(await verify('one by one')).toMatchObject({ exitCode: 0 });
    await undo('one by one', `--yes=${users}`);
    const after = await exported();
    expect(after.flatMap(({ projects = [] }) => projects.map(({ projectId }) => projectId))).toContain(
      '4711',
    );
    expect(keysIn(after)).toEqual([]);
  });

  it('a dry run says what would be added', async () => {
    await convert(undefined, []);
    const ran = await run(
      'import-users',
      'importBody.json',
      ...to.flags,
      '--org=body',
      '--dry-run',
      '--max-emails=unlimited',
    );
    expect(texts(ran)).toContain('1 project, role or project grant would be added.');
  });
});
