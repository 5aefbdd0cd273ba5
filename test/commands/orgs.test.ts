import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startInstance, type Instance } from '../support/instance.ts';
import {
  createMigration,
  createSteps,
  exportFrom,
  notesOf as notes,
  routeNames,
  textsOf as texts,
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
const run = (...argv: string[]): Promise<Ran> => migration.run(...argv);
const migrate = (...flags: string[]): Promise<Ran> =>
  run('migrate', 'keycloak', '--org=1', '--realm=realm.json', ...flags);
const orgsOf = (name?: string): readonly Org[] => migration.orgsIn(name);

/** User names by the id of the organization. */
const usersByOrg = (): Record<string, string[]> =>
  Object.fromEntries(
    orgsOf().map(({ orgId, humanUsers = [] }) => [orgId, humanUsers.map(({ user }) => user.userName)]),
  );

describe('migrate --org-by', () => {
  beforeEach(() => put('map.csv', 'source,organization\nacme,100\nglobex,"200"\nacme.example,100\n'));

  it('organization: members go to the first of theirs, the others to --org', async () => {
    const ran = await migrate('--org-by=organization', '--org-map=map.csv');
    expect(usersByOrg()).toEqual({ 100: ['ada', 'bob'], 200: ['cleo'], 1: ['dan', 'dan2'] });
    expect(notes(ran)).toMatchObject({ 'org:none': 2, 'org:further': 1 });
    expect(orgsOf().every(({ org }) => org === undefined)).toBe(true);
  });

  it('names the organization of each user in the report, and none of a user who cannot be read', async () => {
    const { users, ...realm } = JSON.parse(migration.read('realm.json')) as {
      users: object[];
    };
    put('realm.json', { ...realm, users: [...users, { id: 'no-name' }, { ...users[0], id: 'twice' }] });
    await migrate('--org-by=organization', '--org-map=map.csv', '--report=r.json');
    interface ReportedUsers {
      readonly users: readonly {
        readonly userName: string;
        readonly outcome: string;
        readonly orgId?: string;
      }[];
    }
    const orgs = (name: string): unknown[] =>
      (JSON.parse(migration.read(name)) as ReportedUsers).users.map(({ userName, outcome, orgId }) => [
        userName,
        outcome,
        orgId,
      ]);
    expect(orgs('r.json')).toEqual([
      ['ada', 'noted', '100'],
      ['bob', 'noted', '100'],
      ['cleo', 'noted', '200'],
      ['dan', 'noted', '1'],
      ['dan2', 'noted', '1'],
      ['', 'rejected', undefined],
      ['ada', 'rejected', '100'],
    ]);
    const [first, ...others] = orgsOf();
    const broken = { userId: 'x', user: { userName: 'eve' } };
    put('broken.json', {
      dataOrgs: {
        orgs: [{ ...first, humanUsers: [...first!.humanUsers!, broken, first!.humanUsers![0]] }, ...others],
      },
    });
    await run('check', 'broken.json', '--target-profile=hosted', '--report=c.json');
    const { orgId } = first!;
    expect(orgs('c.json').slice(-2)).toEqual([
      ['eve', 'rejected', orgId],
      ['ada', 'rejected', orgId],
    ]);
  });

  it('organization: what a mapping says, also a built-in one', async () => {
    put(
      'users.csv',
      'id,email,tenant\n1,ada@example.org,acme\n2,ben@example.org,GLOBEX\n3,cyd@example.org,\n',
    );
    put(
      'own.yaml',
      'idport: 1\nuser: { id: id, email: email, organization: { from: tenant, then: [lower] } }\n',
    );
    const argv = ['--org=1', '--org-by=organization', '--org-map=map.csv'];
    const csv = ['migrate', 'csv', '--users=users.csv', '--map=own.yaml', ...argv];
    expect(notes(await run(...csv))).toMatchObject({ 'org:none': 1 });
    expect(usersByOrg()).toEqual({
      100: ['ada@example.org'],
      200: ['ben@example.org'],
      1: ['cyd@example.org'],
    });
    put('users.json', [
      {
        id: '1',
        email: 'ada@example.org',
        tenantIds: ['globex', 'acme'],
        mfaEnrolled: false,
        verified: true,
      },
    ]);
    const ran = await run('migrate', 'frontegg', '--users=users.json', ...argv);
    expect(usersByOrg()).toEqual({ 200: ['ada@example.org'] });
    expect(notes(ran)).toMatchObject({ 'org:further': 1 });
  });

  it('organization --create-orgs: new ones have name and domains, and the same id in every run', async () => {
    await migrate('--org-by=organization', '--create-orgs');
    const first = orgsOf();
    expect(
      first.map(({ org, domains }) => [org?.name, domains?.map(({ domainName }) => domainName)]),
    ).toEqual([
      ['Acme', ['acme.example']],
      ['Globex', ['globex.example']],
      [undefined, undefined],
    ]);
    expect(first[0]!.orgId).toMatch(/^\d{18}$/);
    await migrate('--org-by=organization', '--create-orgs');
    expect(orgsOf()).toEqual(first);
  });

  it('domain, attribute and group', async () => {
    const ran = await migrate('--org-by=domain', '--org-map=map.csv');
    expect(usersByOrg()).toEqual({ 100: ['ada', 'bob', 'dan', 'dan2'], 1: ['cleo'] });
    expect(notes(ran)).toMatchObject({ 'org:unmapped': 1 });
    await migrate('--org-by=attribute:tenant', '--org-map=map.csv');
    expect(usersByOrg()).toEqual({ 1: ['ada', 'cleo', 'dan', 'dan2'], 100: ['bob'] });
    put('map.csv', 'dev,300');
    await migrate('--org-by=group:/staff/*', '--org-map=map.csv');
    expect(usersByOrg()).toMatchObject({ 300: ['ada'] });
  });

  it('realm: several realms at once', async () => {
    const [first, ...others] = richRealm.users;
    put('realm.json', [
      { ...richRealm, users: [first] },
      { realm: 'second', users: others },
    ]);
    put('map.csv', 'harbour,100\nsecond,200');
    await migrate('--org-by=realm', '--org-map=map.csv');
    expect(usersByOrg()).toEqual({ 100: ['ada'], 200: ['bob', 'cleo', 'dan', 'dan2'] });
  });

  it.each([
    ['Auth0', [{ user_id: 'auth0|1', organization: { id: 'org_1', name: 'acme', display_name: 'Acme' } }]],
    ['Clerk', [{ public_user_data: { user_id: 'auth0|1' }, organization: { id: 'org_1', slug: 'acme' } }]],
    ['WorkOS', { data: [{ user_id: 'auth0|1', organization_id: 'org_1', organization_name: 'Acme' }] }],
    ['Logto', '{"tenant_id":"default","organization_id":"org_1","user_id":"auth0|1"}\n'],
    ['a table', 'user_id,organization_id\nauth0|1,org_1\n'],
  ])('--memberships in the form of %s', async (_, memberships) => {
    const users = ['1', '2'].map((id) => ({
      user_id: `auth0|${id}`,
      email: `u${id}@x.example`,
      email_verified: true,
    }));
    put('users.json', users);
    put('members.dat', memberships);
    put('map.csv', 'org_1,100');
    const flags = ['--org=1', '--users=users.json', '--org-by=organization', '--org-map=map.csv'];
    const ran = await run('migrate', 'auth0', ...flags, '--memberships=members.dat');
    expect(ran.problem).toBeUndefined();
    expect(usersByOrg()).toEqual({ 100: ['u1@x.example'], 1: ['u2@x.example'] });
  });

  it.each([
    [['--org-by=moon', '--create-orgs'], /--org-by moon is not a rule/],
    [['--org-by=group:/a/b', '--create-orgs'], /is not a rule/],
    [['--org-by=domain'], /needs --org-map <file> or --create-orgs/],
    [['--create-orgs'], /--create-orgs belongs to --org-by/],
    [['--org-by=domain', '--org-map=bad.csv'], /bad\.csv, line 2: expected a key and the id/],
    [['--org-by=organization', '--create-orgs', '--memberships=bad.csv'], /record 1 is no membership/],
  ])('%j is one clear line', async (flags, message) => {
    put('bad.csv', 'key,id\nacme\n');
    const ran = await migrate(...flags);
    expect(ran.problem?.message).toMatch(message);
  });
});

describe('a body with several organizations', () => {
  beforeEach(async () => {
    to = await startInstance(migration.cwd, 'to');
  });
  afterEach(() => to.close());

  const exported = (): Promise<readonly Org[]> => exportFrom(migration, to);
  const namesIn = async (orgName: string): Promise<string[]> => {
    const found = (await exported()).find(({ org }) => org?.name === orgName);
    return (found?.humanUsers ?? []).map(({ user }) => user.userName).toSorted();
  };

  const domainsOf = async (orgName: string): Promise<string[]> => {
    const found = (await exported()).find(({ org }) => org?.name === orgName);
    return (found?.domains ?? []).map(({ domainName }) => domainName);
  };

  const harbour = exportPath('kc-26.4.7-harbour/harbour.json');
  const small = samplePath('keycloak/kc-26-orgs-full-realm-config-cli.json');
  const orgNames = async (): Promise<(string | undefined)[]> =>
    (await exported()).map(({ org }) => org?.name);
  const realms = [
    ['the realm of these tests', undefined, 'Acme', ['ada', 'bob']],
    ['a realm of Keycloak 26', harbour, 'Acme', ['acme1', 'both']],
    ...(small === undefined
      ? []
      : [
          [
            'a realm for keycloak-config-cli',
            small,
            'Tech Startup',
            ['ceo@tech-startup.io', 'cto@tech-startup.io'],
          ],
        ]),
  ] as [string, string | undefined, string, string[]][];

  const convert = async (path: string | undefined): Promise<number> => {
    const flags = [
      `--org=${to.server.orgId}`,
      `--realm=${path ?? 'realm.json'}`,
      '--target-profile=all-verifiers',
    ];
    const ran = await run('migrate', 'keycloak', ...flags, '--org-by=organization', '--create-orgs');
    expect(ran.problem).toBeUndefined();
    return orgsOf().reduce((sum, { humanUsers = [] }) => sum + humanUsers.length, 0);
  };

  const steps = createSteps(
    () => migration,
    () => to,
  );

  describe.each(routeNames)('%s', (route) => {
    const send = (): Promise<Ran> => steps.send(route);
    const undo = (...flags: string[]): Promise<Ran> => steps.undo(route, ...flags);

    it.each(realms)('%s arrives, is the same, and is rolled back', async (_, path, name, members) => {
      const users = await convert(path);
      const sent = await send();
      expect(sent.problem).toBeUndefined();
      expect(sent.events).toContainEqual(expect.objectContaining({ type: 'notice', code: 'org:created' }));
      expect(await namesIn(name)).toEqual(members);
      // In bulk, some of them cannot sign in before they answer an email.
      const { events } = await steps.verify(route);
      const end = events.findLast((event) => event.type === 'verify:end');
      expect(end?.users).toMatchObject({ missing: 0, differs: 0, unknown: 0 });
      expect(route === 'in bulk' || end?.users.blocked === 0).toBe(true);
      expect((await undo(`--yes=${users}`)).problem).toBeUndefined();
      expect(await orgNames()).not.toContain(name);
      expect(await steps.verify(route)).toMatchObject({ exitCode: 4 });
    });

    it('organizations that were created stay where they have a user of someone else, and the others are deleted', async () => {
      const users = await convert(undefined);
      await send();
      const other = {
        ...richRealm,
        users: [{ username: 'other', email: 'o@x.example', emailVerified: true }],
      };
      put('other.json', other);
      const [acme] = orgsOf();
      const one = ['--from=keycloak', '--realm=other.json', `--org=${acme!.orgId}`, '--max-emails=unlimited'];
      expect((await run('import-users', ...one, ...to.flags)).problem).toBeUndefined();
      expect(texts(await undo())).toContainEqual(expect.stringMatching(/2 organizations that will be empty/));
      const undone = await undo(`--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      expect(texts(undone)).toContainEqual(
        expect.stringMatching(/Acme stays: it has users, among them \S+ other/),
      );
      expect(await namesIn('Acme')).toEqual(['other']);
      expect(await orgNames()).not.toContain('Globex');
    });

    it('organizations stay with --created-orgs=keep, and go with a second rollback', async () => {
      const users = await convert(undefined);
      await send();
      await undo(`--yes=${users}`, '--created-orgs=keep');
      expect(await orgNames()).toContain('Acme');
      expect(await undo('--yes=0')).toMatchObject({ exitCode: 0 });
      expect(await orgNames()).not.toContain('Acme');
    });

    it('organizations stay where another run found them there', async () => {
      const users = await convert(undefined);
      await send();
      await undo(`--yes=${users}`, '--created-orgs=keep');
      expect((await send()).problem).toBeUndefined();
      expect(await undo(`--yes=${users}`)).toMatchObject({ exitCode: 0 });
      expect(await orgNames()).toContain('Acme');
    });
  });

  const routesAndCheck: [string, ...string[]][] = [
    ['import'],
    ['import-users', '--org=body', '--rate=unlimited'],
    ['check'],
  ];
  const there = (name: string, ...domains: readonly string[]) => ({
    org: { name },
    domains: domains.map((domainName) => ({ domainName, isVerified: true })),
  });

  it.each(routesAndCheck)(
    '%s finds organizations of the target by name and by domain, and leaves them',
    async (verb, ...flags) => {
      const users = await convert(undefined);
      const orgs = [
        { orgId: '900', ...there('ACME') },
        { orgId: '901', ...there('Other', 'globex.example') },
      ];
      await to.server.seed({ dataOrgs: { orgs } });
      const ran = await run(
        verb,
        'importBody.json',
        ...to.flags,
        ...flags,
        '--max-emails=unlimited',
        '--max-sms=unlimited',
      );
      expect(ran.problem).toBeUndefined();
      expect(texts(ran).join('\n')).toMatch(
        /2 organizations found at the target, and left as they are: Acme is 900 \(by its name Acme\); Globex is 901 \(by its domain globex\.example\)/,
      );
      if (verb === 'check') return;
      expect(await namesIn('ACME')).toEqual(['ada', 'bob']);
      expect(await namesIn('Other')).toEqual(['cleo']);
      expect(await domainsOf('ACME')).not.toContain('acme.example');
      const ids = verb === 'import' ? [] : ['--id-map=importBody.json.ids.csv'];
      expect(await run('verify', 'importBody.json', ...ids, ...to.flags)).toMatchObject({ exitCode: 0 });
      const ofRun = `importBody.json${verb === 'import' ? '' : '.users'}.journal`;
      const undone = await run('undo', `--journal=${ofRun}`, ...to.flags, `--yes=${users}`);
      expect(undone).toMatchObject({ exitCode: 0 });
      expect(await orgNames()).toEqual(expect.arrayContaining(['ACME', 'Other']));
      expect(await namesIn('ACME')).toEqual([]);
    },
  );

  it.each(routesAndCheck)(
    '%s asks where the name is that of one organization, and the domain that of another',
    async (verb, ...flags) => {
      await convert(undefined);
      const orgs = [
        { orgId: '900', ...there('Acme') },
        { orgId: '901', ...there('Other', 'acme.example') },
      ];
      await to.server.seed({ dataOrgs: { orgs } });
      const ran = await run(
        verb,
        'importBody.json',
        ...to.flags,
        ...flags,
        '--max-emails=unlimited',
        '--max-sms=unlimited',
      );
      expect(ran.exitCode).toBe(2);
      expect(ran.problem?.message).toBe(
        'organization Acme: at the target 900 has the name Acme, and 901 the domain acme.example',
      );
      expect(ran.problem?.hint).toContain('--org-map');
      expect(await namesIn('Acme')).toEqual([]);
    },
  );

  it.each(routesAndCheck)(
    '%s does not merge an organization of another program with one of the same name',
    async (verb, ...flags) => {
      await convert(undefined);
      const [acme, ...others] = orgsOf();
      put('importBody.json', { dataOrgs: { orgs: [{ ...acme!, orgId: '77' }, ...others] }, timeout: '30m' });
      await to.server.seed({ dataOrgs: { orgs: [{ orgId: '900', ...there('ACME') }] } });
      const ran = await run(
        verb,
        'importBody.json',
        ...to.flags,
        ...flags,
        '--max-emails=unlimited',
        '--max-sms=unlimited',
      );
      expect(ran.exitCode).not.toBe(0);
      expect(`${ran.problem?.message}\n${texts(ran).join('\n')}`).toMatch(
        /another organization named Acme \(900\)/,
      );
    },
  );

  describe('an export that is converted on the fly', () => {
    const source = (...rule: string[]): string[] => [
      '--from=keycloak',
      '--realm=realm.json',
      `--org=${to.server.orgId}`,
      '--target-profile=all-verifiers',
      ...rule,
    ];
    const several = ['--org-by=organization', '--create-orgs'];
    const sending = ['--max-emails=unlimited', '--max-sms=unlimited', '--rate=unlimited'];

    it('uses an organization that is there, and verify finds users in the wrong one', async () => {
      await to.server.seed({ dataOrgs: { orgs: [{ orgId: '900', ...there('Acme') }] } });
      put('map.csv', 'globex,900');
      const rule = ['--org-by=organization', '--create-orgs'];
      expect(
        (await run('import-users', ...source(...rule), ...to.flags, ...sending)).problem,
      ).toBeUndefined();
      expect(await namesIn('Acme')).toEqual(['ada', 'bob']);
      const ids = '--id-map=realm.json.ids.csv';
      const other = source('--org-by=organization', '--org-map=map.csv');
      expect(await run('verify', ...other, ids, ...to.flags)).toMatchObject({ exitCode: 4 });
    });

    it('has the second user of a name left out before anything is sent, also of another organization', async () => {
      const again = { ...richRealm.users[2]!, id: 'another', username: 'ADA' };
      put('realm.json', { ...richRealm, users: [...richRealm.users, again] });
      const rule = source('--org-by=domain', '--create-orgs');
      const checked = await run('check', ...rule, '--max-emails=unlimited', '--max-sms=unlimited');
      expect(notes(checked)).toMatchObject({ 'user-skipped:duplicate-username': 1 });
      const sent = await run('import-users', ...rule, ...to.flags, ...sending);
      expect(notes(sent)).toMatchObject({ 'user-skipped:duplicate-username': 1 });
      expect(texts(sent).join('\n')).toContain('1 more is left out before sending');
      expect(JSON.stringify(await exported()).match(/"userName":"ada"/gi)).toHaveLength(1);
    });

    it('a body says the organizations itself', async () => {
      await convert(undefined);
      const ran = await run('check', 'importBody.json', '--org=1', ...several);
      expect(ran.problem?.message).toMatch('--org-by belongs to --from');
    });
  });

  it('is not imported into one organization by mistake', async () => {
    await convert(undefined);
    const ran = await run('import-users', 'importBody.json', ...to.flags, '--org=1');
    expect(ran.exitCode).toBe(2);
    expect(ran.problem?.hint).toContain('--org=body');
  });
});
