/** Identity providers of a realm: made at the target, named for the links of users, verified, rolled back. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import type { ProviderKind } from '../../src/wire/identity-providers.ts';
import { createHastyClock } from '../support/clock.ts';
import { noticesOf, succeeded, type Ran, type RunOptions } from '../support/workspace.ts';
import { allMessages, startMigration, type Migration } from '../support/migration.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };

const idp = (alias: string, providerId: string, more: object = {}) => ({
  alias,
  providerId,
  enabled: true,
  config: { clientId: 'x', clientSecret: `export-secret-of-${alias}`, ...more },
});
const link = (identityProvider: string) => ({
  identityProvider,
  userId: `ada-at-${identityProvider}`,
  userName: 'ada',
});
const [ada, ...others] = richRealm.users;
const realm = {
  ...richRealm,
  identityProviders: [
    idp('google', 'google'),
    idp('work', 'oidc', { issuer: 'https://work.example' }),
    idp('corporate', 'oidc', { tokenUrl: 'https://c.example/t' }),
  ],
  users: [{ ...ada, federatedIdentities: [link('google'), link('work')] }, ...others],
};

let migration: Migration;
let org: string;
const open = async (options?: ReferenceServerOptions) => {
  migration = await startMigration(options);
  org = `--org=${migration.org}`;
  migration.put('realm.json', realm);
};
beforeEach(() => open());

const read = (name: string) => migration.read(name);
const run = (line: string) => migration.runAt(line);
const create = (flags = '', options?: Partial<RunOptions>) =>
  migration.runAt(`create-idps --realm=realm.json ${org} ${flags}`, options);
const migrate = (flags: string) => migration.run(`migrate keycloak --realm=realm.json ${flags}`);
/** With other providers than `realm`. */
const createOf = (identityProviders: readonly object[]) => {
  migration.put('realm.json', { ...richRealm, identityProviders });
  return create();
};
/** Those of `realm` that the service can have. */
const supported = ['google', 'work'];
const mapFile = 'realm.json.idps.csv';
const journalFile = 'realm.json.idps.journal';
/** What it said and wrote. */
const shownBy = ({ events }: Ran) => [JSON.stringify(events), read(mapFile), read(journalFile)].join();
const undo = (count: number, journal: string = journalFile) =>
  run(`undo --journal=${journal} --yes=${count} --wait=0s`);
const idps = () => [...migration.store.idps.values()];
const sorted = (key: 'id' | 'name') => Array.from(idps(), (row) => row[key]).toSorted();
const names = () => sorted('name');
const placeholdersOf = (ran: Ran) =>
  Array.from(
    noticesOf(ran).matchAll(/"(\w+)" \(\d+\) has a placeholder as its client secret/g),
    ([, alias]) => alias,
  );
const putIdp = (id: string, name: string, kind?: ProviderKind) => {
  const template = kind === undefined ? {} : { template: { kind, options: {}, settings: {} } };
  const none = { oidc: undefined, jwt: undefined, ...template };
  migration.store.idps.put({ id, orgId: migration.org, name, created: 0, allowsCreation: true, ...none });
};
const linkedTo = () => {
  const links = [...migration.store.users.values()].flatMap(({ links = [] }) => links);
  return [...new Set(links.map(({ idpId }) => idpId))].toSorted();
};
const map = `--idp-map=${mapFile}`;
const source = '--from=keycloak --realm=realm.json';

describe('create-idps', () => {
  it('creates providers that the service supports, and names the others and placeholder secrets', async () => {
    const ran = await create();
    expect(ran.exitCode).toBe(3);
    expect(names()).toEqual(supported);
    expect(noticesOf(ran)).toContain('Identity provider "corporate" is not created: it has no issuer');
    expect(placeholdersOf(ran)).toEqual(supported);
    const rows = idps().map(({ name, id }) => `${name},${id}`);
    expect(migration.lines(mapFile).toSorted()).toEqual(['alias,configId', ...rows].toSorted());
  });

  it('takes client secrets from a file, and from the export only on request', async () => {
    migration.put('secrets.csv', 'google,"given, secret"\n');
    chmodSync(join(migration.cwd, 'secrets.csv'), 0o644);
    const ran = await create('--idp-secrets=secrets.csv');
    expect(placeholdersOf(ran)).toEqual(['work']);
    const isWarned = noticesOf(ran).includes('can be read by other users');
    expect(isWarned).toBe(process.platform !== 'win32');
    expect(shownBy(ran)).not.toMatch(/given, secret|export-secret/);
    await undo(2);
    expect(noticesOf(await create('--idp-secrets=export'))).not.toContain('placeholder');
  });

  it('keeps existing providers of the same name, and sends nothing in a dry run', async () => {
    expect(noticesOf(await create('--dry-run'))).toContain('2 would be created');
    expect(noticesOf(await createOf([]))).not.toContain(mapFile);
    expect([idps().length, migration.has(mapFile)]).toEqual([0, false]);
    migration.put('realm.json', realm);
    putIdp('77', 'Google');
    expect(noticesOf(await create())).toContain(
      'Identity provider "google" is at the target already (77) and stays as it is, with its secret.',
    );
    expect(read(mapFile)).toContain('google,77\n');
    expect(names()).toEqual(['Google', 'work']);
    expect(noticesOf(await run(`undo --journal=${journalFile}`))).toMatch(
      /1 identity provider can be deleted where no user is linked: work \(\d+\)\. To delete them, pass --yes=1\./,
    );
    expect((await undo(2)).problem?.message).toBe('1 identity provider can be deleted, not 2');
    expect(noticesOf(await undo(1, `${journalFile} --report=undo.json`))).toContain(
      '1 identity provider deleted, which the run created.',
    );
    expect(migration.json('undo.json')).toMatchObject({ format: 'idport-undo-report' });
    expect(names()).toEqual(['Google']);
    expect(noticesOf(await undo(0))).toContain('The run has made no identity provider that is still there.');
  });

  it('does not take an existing provider of the same name but another kind', async () => {
    putIdp('77', 'Google', 'github');
    const ran = await create();
    expect(ran.exitCode).toBe(3);
    expect(noticesOf(ran)).toContain(
      'Identity provider "google" is not created: the target has one of this name (77), of another kind (PROVIDER_TYPE_GITHUB).',
    );
    expect(read(mapFile)).not.toContain('google');
    putIdp('78', 'Google', 'google');
    await create('--journal=second.journal');
    expect(read(mapFile)).toContain('google,78\n');
  });

  it('finds the providers of a killed run again, and undo deletes them', async () => {
    await create();
    const journal = migration.lines(journalFile);
    // Without the last outcome and the end.
    migration.put(journalFile, `${journal.slice(0, -2).join('\n')}\n`);
    migration.store.idps.delete(idps().find(({ name }) => name === 'google')!.id);
    await create();
    expect(names()).toEqual(supported);
    await succeeded(undo(2));
    expect(names()).toEqual([]);
  });

  it('does not create providers twice while the list lags, and undo deletes them', async () => {
    await open({ lag: 600_000 });
    await create();
    const again = await create();
    expect(noticesOf(again)).toMatch(/"google" is at the target already[^]*0 created, 2 there already/);
    expect(names()).toEqual(supported);
    await succeeded(undo(2));
    expect(names()).toEqual([]);
    await create();
    expect(names()).toEqual(supported);
  });

  const missAnswers = async () => {
    const clock = createHastyClock();
    await open({ lag: 60_000, clock });
    await create();
    const [header, ...lines] = read(journalFile).split('\n');
    const intents = lines.filter((line) => line.startsWith('{"intent"'));
    migration.put(journalFile, [header, ...intents, ''].join('\n'));
    return { clock };
  };

  it('waits for providers whose answers were lost, also with another journal, and creates none twice', async () => {
    const hasty = await missAnswers();
    // Neither makes one of them again.
    for (const other of [() => create('--dry-run'), () => createOf([idp('other', 'google')])])
      expect(noticesOf(await other())).not.toContain('latest changes');
    migration.put('realm.json', realm);
    const again = await create('--journal=second.journal', hasty);
    expect(noticesOf(again)).toContain('0 created, 2 there already');
    expect(names()).toEqual(['google', 'other', 'work']);
    await succeeded(undo(3));
  });

  it('undo waits for providers whose answers were lost', async () => {
    const hasty = await missAnswers();
    await succeeded(migration.runAt(`undo --journal=${journalFile} --yes=2`, hasty));
    expect(names()).toEqual([]);
  });

  it('reports the faulty line of a secrets file or id map', async () => {
    migration.put('bad.csv', 'google\n');
    expect((await create('--idp-secrets=bad.csv')).problem?.message).toBe(
      'bad.csv, line 1: expected an alias and a client secret',
    );
    expect((await migrate('--org=1 --idp-map=bad.csv')).problem?.message).toContain('bad.csv');
    expect(idps()).toEqual([]);
  });
});

describe('one run of create-idps', () => {
  it('asks for client secrets before it sends anything, and Enter sets a placeholder', async () => {
    const asked: [question: string, made: number][] = [];
    const askSecret = async (question: string) => {
      asked.push([question, idps().length]);
      return question.includes('google') ? 'typed-secret' : '';
    };
    const ran = await create('', { askSecret });
    expect(asked).toEqual([
      ['Client secret of google (Enter for a placeholder): ', 0],
      ['Client secret of work (Enter for a placeholder): ', 0],
    ]);
    expect(placeholdersOf(ran)).toEqual(['work']);
    expect(shownBy(ran)).not.toContain('typed-secret');
  });

  it('leaves out a provider that the service refuses, and creates the others', async () => {
    const long = idp('long', 'google', { clientId: 'x'.repeat(201) });
    const ran = await createOf([idp('a', 'google'), long, idp('b', 'gitlab')]);
    expect([ran.exitCode, names()]).toEqual([3, ['a', 'b']]);
    expect(noticesOf(ran)).toContain('"long" is not created: invalid AddGoogleProviderRequest.ClientId');
    expect(read(mapFile)).not.toContain('long');
    expect(read(journalFile)).toContain('idp:refused');
    await succeeded(undo(2));
  });

  it('writes aliases that --idp-map reads back, and names aliases that no file can hold', async () => {
    const kept = ['a b', '-x', 'q"uote', 'com,ma', '__proto__', `l${'o'.repeat(250)}ng`];
    const odd = ['', ' a', '#a', 'a=b', 'a;b', 'line\nbreak', 'esc\u001b[31m', 'half\ud800'];
    const ran = await createOf([...kept, ...odd].map((alias) => idp(alias, 'google')));
    expect(names()).toHaveLength(kept.length);
    expect(noticesOf(ran)).toContain(
      '14 identity providers in the source: 6 created, 0 there already, 8 not created.',
    );
    for (const alias of odd)
      expect(noticesOf(ran)).toContain(
        `${JSON.stringify(alias)} is not created: --idp-map cannot hold its alias`,
      );
    const users = [
      { ...ada, federatedIdentities: kept.map((alias) => ({ ...link(alias), userId: alias.slice(0, 9) })) },
    ];
    migration.put('realm.json', { ...richRealm, users });
    await succeeded(migrate(`--org=1 ${map}`));
    for (const id of sorted('id')) expect(read('importBody.json')).toContain(`"configId":"${id}"`);
  });

  it('creates a provider shared by realms once, and refuses two providers with one alias', async () => {
    expect(noticesOf(await createOf([idp('google', 'google'), idp('google', 'google')]))).toContain(
      '1 identity provider in the source: 1 created, 0 there already, 0 not created.',
    );
    const ran = await createOf([idp('work', 'google'), idp('work', 'google', { clientId: 'y' })]);
    expect(ran.problem?.message).toBe('two identity providers have the alias "work"');
    expect(names()).toEqual(['google']);
  });

  it('creates each provider once if two runs start at the same time', async () => {
    const runs = await Promise.all([create(), create()]);
    expect(runs.map(({ problem }) => problem?.code ?? '').filter(Boolean)).toHaveLength(1);
    expect(names()).toEqual(supported);
  });
});

const ways = {
  'in bulk': async () => {
    await create();
    await migrate(`${org} ${map}`);
    await succeeded(migration.via('in bulk').send());
    return { compared: 'importBody.json', journal: 'importBody.json.journal' };
  },
  'one by one': async () => {
    const flags = `${org} ${allMessages} --create-idps --report=report.json`;
    expect((await run(`import-users ${source} ${flags}`)).problem).toBeUndefined();
    expect(read('report.json')).toContain('has a placeholder as its client secret');
    return { compared: source, journal: 'realm.json.users.journal' };
  },
};

it.each(Object.entries(ways))(
  'users linked to created identity providers arrive %s, are verified and rolled back',
  async (_, importAll) => {
    const { compared, journal } = await importAll();
    expect(names()).toEqual(supported);
    expect(linkedTo()).toEqual(sorted('id'));
    const verify = () => run(`verify ${compared} ${map} ${org}`);
    const verified = await succeeded(verify());
    expect(noticesOf(verified)).toContain('2 of 2 identity providers at the target.');

    // Users are linked: they stay.
    const early = await undo(2);
    expect([early.exitCode, names()]).toEqual([4, supported]);
    expect(noticesOf(early)).toMatch(/"google" \(\d+\) stays: 2 users are linked to it\./);
    expect(noticesOf(early)).toMatch(/"work" \(\d+\) stays: 1 user is linked to it\./);
    await succeeded(undo(realm.users.length, journal));
    await succeeded(undo(2));
    expect(names()).toEqual([]);
    const after = await verify();
    expect(noticesOf(after)).toContain('Identity provider "google" is not at the target');
    expect(after.exitCode).toBe(4);
  },
);
