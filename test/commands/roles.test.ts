import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { noticesOf, succeeded, codesOf, textsOf as texts } from '../support/workspace.ts';
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

const ownKeys = [
  'client:shop:owner',
  'client:shop:viewer',
  'group:/staff',
  'group:/staff/dev',
  'realm:admin',
  'realm:auditor',
];
const several = '--org-by=organization --create-orgs';

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
    return usersIn(migration.orgsIn());
  };
  const projectsAt = async () =>
    (await migration.exported()).flatMap(({ projects = [] }) =>
      projects.map(({ projectId, project: { name } }) => ({ projectId, name })),
    );
  const seedProject = (name: string, more: object = {}, projectId = '4711') =>
    migration.seed({ orgId: migration.org, projects: [{ projectId, project: { name } }], ...more });
  const admin = { projectId: '4711', roleKey: 'realm:admin', displayName: 'Admin' };
  const day = 24 * 60 * 60 * 1000;

  it.each([
    ['ada', ['Acme']],
    ['bob', ['Acme', 'Globex']],
  ])('a trial of %s creates only the organizations of the user and of their grants', async (user, orgs) => {
    await convert(`--roles=new:Harbour ${further}`);
    await succeeded(migration.via('one by one').send(`--user=${user}`));
    const there = await migration.exported();
    expect(Object.keys(namesIn(there))).toEqual(['Default', ...orgs]);
    expect(grantsIn(there)).toHaveLength(orgs.length);
  });

  describe.each(routeNames)('%s', (route) => {
    const via = () => migration.via(route);

    it.each(samples)('%s arrives completely, compares as equal, and is deleted by undo', async (_, path) => {
      await convert(`--roles=new:Harbour ${further}`, path);
      const { sent, there, undone } = await migration.roundTrip(route);
      const parts = (orgs: Parameters<typeof keysIn>[0]) => [keysIn(orgs), grantsIn(orgs), namesIn(orgs)];
      // CreateUser refuses his address.
      const rejected = notes(sent)['single:email'] === 1 ? 'idn' : '';
      const arrived = migration.orgsIn().map(({ humanUsers = [], ...org }) => ({
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
      const [{ humanUsers = [], userGrants = [] } = {}] = migration.orgsIn();
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

    const call = async (route: string, body?: object) =>
      expect((await migration.call(route, body)).status).toBe(200);
    const management = '/management/v1';
    const userId = () => migration.server.users.nobody;
    const giveRole = (projectId: string) =>
      call(`POST ${management}/users/${userId()}/grants`, { projectId, roleKeys: ['realm:auditor'] });
    const callProject = (path: string, body: object) => (projectId: string) =>
      call(`POST ${management}/projects/${projectId}/${path}`, body);
    const createAgain = async (projectId: string) => {
      await call(`DELETE ${management}/projects/${projectId}`);
      await seedProject('Harbour', {}, projectId);
    };
    const addManager = (projectId: string) => {
      const member = { projectId, userId: userId(), roles: ['PROJECT_OWNER'] };
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
      const [org] = migration.orgsIn();
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
