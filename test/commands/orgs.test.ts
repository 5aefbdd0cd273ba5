import { beforeEach, describe, expect, it } from 'vitest';
import { noticesOf, succeeded, textsOf as texts } from '../support/workspace.ts';
import {
  allMessages,
  notesOf as notes,
  routeNames,
  startMigration,
  usersIn,
  type Migration,
} from '../support/migration.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };

let migration: Migration;
beforeEach(async () => {
  migration = await startMigration();
  put('realm.json', richRealm);
});

const put = (name: string, value: unknown) => migration.put(name, value);
const migrate = (flags: string) => migration.run(`migrate keycloak --org=1 --realm=realm.json ${flags}`);
const orgsOf = () => migration.orgsIn();

const several = '--org-by=organization --create-orgs';

describe('migrate --org-by', () => {
  beforeEach(() => put('map.csv', 'source,organization\nacme,100\nglobex,"200"\nAcme.EXAMPLE,100\n'));

  it('reports the organization of each user, and none for an unreadable user', async () => {
    const [ada, ...others] = richRealm.users;
    const users = [ada, ...others, { id: 'no-name' }, { ...ada, id: 'twice' }];
    put('realm.json', { ...richRealm, users });
    await migrate('--org-by=organization --org-map=map.csv --report=r.json');
    const orgs = (name: string): unknown[] =>
      migration.json(name).users.map(({ userName, outcome, orgId }: any) => [userName, outcome, orgId]);
    expect(orgs('r.json')).toEqual([
      ['ada', 'noted', '100'],
      ['bob', 'noted', '100'],
      ['cleo', 'noted', '200'],
      ['dan', 'noted', '1'],
      ['dan2', 'noted', '1'],
      ['', 'rejected', undefined],
      ['ada', 'rejected', '100'],
    ]);
    const [first, ...more] = orgsOf();
    const broken = { userId: 'x', user: { userName: 'eve' } };
    const humanUsers = [...first!.humanUsers!, broken, first!.humanUsers![0]];
    put('broken.json', { dataOrgs: { orgs: [{ ...first, humanUsers }, ...more] } });
    await migration.run('check broken.json --target-profile=hosted --report=c.json');
    expect(orgs('c.json').slice(-2)).toEqual(['eve', 'ada'].map((name) => [name, 'rejected', first!.orgId]));
  });

  it('refuses a map that is not UTF-8', async () => {
    put('map.csv', Buffer.from('M\xfcller,12\n', 'latin1'));
    const { problem } = await migrate('--org-by=domain --org-map=map.csv');
    expect(problem?.message).toMatch(/map\.csv: it is not UTF-8/);
  });
});

describe('a body with several organizations', () => {
  const orgsAt = async () => {
    const orgs = await migration.exported();
    return new Map(
      orgs.map(({ org, humanUsers = [], domains = [] }) => [
        org?.name ?? '',
        {
          users: humanUsers.map(({ user }) => user.userName).toSorted(),
          domains: domains.map(({ domainName }) => domainName),
        },
      ]),
    );
  };
  const namesIn = async (orgName: string) => (await orgsAt()).get(orgName)?.users ?? [];
  const orgNames = async () => [...(await orgsAt()).keys()];

  /** Returns how many users are in the body. */
  const convert = async () => {
    const flags = `--org=${migration.org} --realm=realm.json --target-profile=all-verifiers ${several}`;
    await succeeded(migration.run(`migrate keycloak ${flags}`));
    return usersIn(orgsOf());
  };

  describe.each(routeNames)('%s', (route) => {
    const via = () => migration.via(route);
    const send = async () => expect((await via().send()).problem).toBeUndefined();
    const undo = (flags = '') => via().undo(flags);

    it('undo keeps created organizations with a user of others, and deletes the rest', async () => {
      const users = await convert();
      await send();
      const others = [{ username: 'other', email: 'o@x.example', emailVerified: true }];
      put('other.json', { ...richRealm, users: others });
      const one = `--from=keycloak --realm=other.json --org=${orgsOf()[0]!.orgId} ${allMessages}`;
      await succeeded(migration.runAt(`import-users ${one}`));
      expect(texts(await undo()).join('\n')).toMatch('2 organizations that the run created');
      const undone = await undo(`--yes=${users}`);
      expect(undone.exitCode).toBe(4);
      expect(noticesOf(undone)).toMatch(/Acme stays: it has users, among them \S+ other/);
      expect(await namesIn('Acme')).toEqual(['other']);
      expect(await orgNames()).not.toContain('Globex');
    });

    it('undo --created-orgs=keep keeps organizations, and a second undo deletes them unless another run found them', async () => {
      const users = await convert();
      await send();
      await undo(`--yes=${users} --created-orgs=keep`);
      expect(await orgNames()).toContain('Acme');
      await succeeded(undo('--yes=0'));
      expect(await orgNames()).not.toContain('Acme');
      await send();
      await undo(`--yes=${users} --created-orgs=keep`);
      await send();
      await succeeded(undo(`--yes=${users}`));
      expect(await orgNames()).toContain('Acme');
    });
  });

  const there = (orgId: string, name: string, ...domains: readonly string[]) => ({
    orgId,
    org: { name },
    domains: domains.map((domainName) => ({ domainName, isVerified: true })),
  });

  describe.each([
    ['import', ''],
    ['import-users', '--org=body --rate=unlimited'],
    ['check', ''],
  ])('%s', (verb, flags) => {
    const send = () => migration.runAt(`${verb} importBody.json ${flags} ${allMessages}`);

    it('finds existing organizations by name and by domain, and leaves them unchanged', async () => {
      const users = await convert();
      await migration.seed(there('900', 'ACME'), there('901', 'Other', 'globex.example'));
      const ran = await send();
      expect(ran.problem).toBeUndefined();
      expect(noticesOf(ran)).toContain(
        '2 organizations found at the target, and left as they are: Acme is 900 (by its name Acme), Globex is 901 (by its domain globex.example)',
      );
      if (verb === 'check') return;
      const found = await orgsAt();
      expect([found.get('ACME')?.users, found.get('Other')?.users]).toEqual([['ada', 'bob'], ['cleo']]);
      expect(found.get('ACME')?.domains).not.toContain('acme.example');
      const { verify, undo } = migration.via(verb === 'import' ? 'in bulk' : 'one by one');
      await succeeded(verify());
      await succeeded(undo(`--yes=${users}`));
      const after = await orgsAt();
      expect([after.get('ACME')?.users, after.has('Other')]).toEqual([[], true]);
    });

    it('refuses an organization whose name and domain belong to two existing ones', async () => {
      await convert();
      await migration.seed(there('900', 'Acme'), there('901', 'Other', 'acme.example'));
      expect(await send()).toMatchObject({
        exitCode: 2,
        problem: {
          message: 'organization Acme: at the target 900 has the name Acme, and 901 the domain acme.example',
          hint: expect.stringContaining('--org-map'),
        },
      });
      expect(await namesIn('Acme')).toEqual([]);
    });

    it('refuses to merge into another organization of the same name', async () => {
      await convert();
      const [acme, ...others] = orgsOf();
      put('importBody.json', { dataOrgs: { orgs: [{ ...acme!, orgId: '77' }, ...others] }, timeout: '30m' });
      await migration.seed(there('900', 'ACME'));
      const ran = await send();
      expect(ran.exitCode).not.toBe(0);
      expect([ran.problem?.message, ...texts(ran)].join('\n')).toMatch(
        'another organization named Acme (900)',
      );
    });
  });

  describe('import-users --from with several organizations', () => {
    const source = (rule: string) =>
      `--from=keycloak --realm=realm.json --org=${migration.org} --target-profile=all-verifiers ${rule}`;
    const send = (rule: string) =>
      migration.runAt(`import-users ${source(rule)} ${allMessages} --rate=unlimited`);

    it('uses an existing organization, and verify finds users in the wrong one', async () => {
      await migration.seed(there('900', 'Acme'));
      put('map.csv', 'globex,900');
      await succeeded(send(several));
      expect(await namesIn('Acme')).toEqual(['ada', 'bob']);
      const other = source('--org-by=organization --org-map=map.csv --id-map=realm.json.ids.csv');
      expect(await migration.runAt(`verify ${other}`)).toMatchObject({ exitCode: 4 });
    });

    it('skips a second user with the same name before it sends anything, also in another organization', async () => {
      const again = { ...richRealm.users[2]!, id: 'another', username: 'ADA' };
      put('realm.json', { ...richRealm, users: [...richRealm.users, again] });
      const rule = '--org-by=domain --create-orgs';
      const skipped = { 'user-skipped:duplicate-username': 1 };
      expect(notes(await migration.run(`check ${source(rule)} ${allMessages}`))).toMatchObject(skipped);
      const sent = await send(rule);
      expect(notes(sent)).toMatchObject(skipped);
      expect(noticesOf(sent)).toContain('1 is left out');
      const names = [...(await orgsAt()).values()].flatMap(({ users }) => users);
      expect(names.filter((name) => name.toLowerCase() === 'ada')).toHaveLength(1);
    });
  });
});
