/** Clients that become applications: written, imported in bulk and one by one, verified, rolled back. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { addFault } from '../chaos/faults.ts';
import { jsonLines, noticesOf, succeeded } from '../support/workspace.ts';
import { routeNames, routes, startMigration, type Migration, type Route } from '../support/migration.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };

const clients = [
  { clientId: 'shop', secret: 's3cret-of-the-shop', redirectUris: ['https://shop.example/back'] },
  { clientId: 'spa', publicClient: true, redirectUris: ['https://spa.example/*', 'https://spa.example/'] },
  { clientId: 'orders', bearerOnly: true },
  { clientId: 'old', enabled: false },
  { clientId: 'hr', protocol: 'saml' },
  { clientId: 'account', publicClient: true },
];

const supported = ['orders', 'shop', 'spa'];

let migration: Migration;
beforeEach(async () => {
  migration = await startMigration();
  putRealm(clients);
});

const putRealm = (clients: readonly object[]) => migration.put('realm.json', { ...richRealm, clients });
const migrateTo = (project: string, flags = '') =>
  migration.run(`migrate keycloak --org=${migration.org} --realm=realm.json --apps=${project} ${flags}`);
const migrate = (flags?: string) => migrateTo('new:Harbour', flags);
const idsBefore = 'old_id,new_id,state\n1,2,created\n';
const secretsFile = '--app-secrets=apps.ndjson';
const rollBack = (route: Route) => migration.via(route).undo('--yes=5 --wait=0s');

const apps = () => [...migration.store.apps.values()];
const nameOf = (app: ReturnType<typeof apps>[number]) => (app.oidc ?? app.api)!.name;
const appOf = (name: string) => apps().find((app) => nameOf(app) === name)!;
const names = () => apps().map(nameOf).toSorted();
const lines = (): Record<string, string>[] => jsonLines(migration.read('apps.ndjson'));
const hash = (secret: string) => createHash('sha256').update(secret).digest('base64');

/** Each line names an application at the target, and its secret is the one that counts there. */
function expectSecrets() {
  const found = new Map(lines().map((line) => [line['oldClientId'], line]));
  for (const app of apps()) {
    const line = found.get(nameOf(app))!;
    expect(line).toMatchObject({ appId: app.id, clientId: app.clientId, organization: migration.org });
    expect(line['clientSecret'] && hash(line['clientSecret'])).toBe(app.secretHash);
  }
  expect(found.size).toBe(apps().length);
}

describe.each(routeNames)('applications, imported %s', (route) => {
  const importAll = (flags: string) => migration.via(route).send(flags);
  const { journal } = routes[route];

  it.each([
    ['there', '', '2 applications will get a client secret'],
    ['in a folder', '--app-secrets=nowhere/apps.ndjson', 'nowhere/apps.ndjson: its folder does not exist'],
    ['their own', '--app-secrets=notes.txt', 'notes.txt is not a file of application secrets'],
  ])('need a secrets file that is %s, else nothing is sent', async (_, flags, message) => {
    await migrate();
    migration.put('notes.txt', 'notes');
    migration.put('ids.csv', idsBefore);
    expect((await importAll(`${flags} --id-map=ids.csv`)).problem?.message).toContain(message);
    expect(migration.read('notes.txt')).toBe('notes');
    expect([apps(), migration.humans()]).toEqual([[], []]);
    // Without the flag not even a journal is begun.
    expect(migration.has(journal)).toBe(flags !== '');
    // Nor has the run an id map of its own when it is resumed.
    await succeeded(importAll(`${secretsFile} --id-map=ids.csv${flags && ' --resume'}`));
    expect(migration.read('ids.csv.1')).toBe(idsBefore);
  });

  it('keep their secrets if answers of the service are lost', async () => {
    await migrate();
    for (const path of ['*/apps/oidc', '*/_generate_client_secret'])
      await addFault(migration.to, { method: 'POST', path, times: 1, when: 'after', half: true });
    await succeeded(importAll(secretsFile));
    expect(names()).toEqual(supported);
    expectSecrets();
  });

  it('keep their secrets if the secrets file is moved away and a finished run is resumed', async () => {
    await migrate();
    await importAll(secretsFile);
    const secrets = migration.read('apps.ndjson');
    migration.remove('apps.ndjson');
    expect((await importAll(`${secretsFile} --resume`)).problem).toBeUndefined();
    migration.put('apps.ndjson', secrets);
    expectSecrets();
  });

  it('report what the service finds wrong with them', async () => {
    putRealm([{ clientId: 'bare' }]);
    await migrate();
    expect(noticesOf(await importAll(secretsFile))).toContain(
      `Application "bare" of organization ${migration.org} is created; the service reports: `,
    );
  });

  it('arrive with secrets in a file, are verified, and are deleted by undo', async () => {
    await migrate('--roles=new:Harbour');
    const ran = await succeeded(importAll(`${secretsFile} --report=report.json`));
    expect(names()).toEqual(supported);
    expectSecrets();
    expect(migration.modeOf('apps.ndjson')).toBe(0o600);
    const said = [migration.read(journal), migration.read('report.json'), JSON.stringify(ran.events)];
    for (const { clientSecret = 'none' } of lines())
      expect(said.join('\n')).not.toContain(`"${clientSecret}"`);

    const verify = () => migration.runAt(`verify importBody.json --org=${migration.org}`);
    await succeeded(verify());
    const { store } = migration;
    const shop = appOf('shop');
    store.apps.put({ ...shop, oidc: { ...shop.oidc!, redirectUris: ['https://evil.example/'] } });
    store.apps.delete(appOf('spa').id);
    const verified = await verify();
    expect(verified.exitCode).toBe(4);
    expect(noticesOf(verified)).toContain('differs in redirectUris');
    expect(noticesOf(verified)).toMatch(/application spa of project \d+ is not at the target/);

    await succeeded(rollBack(route));
    expect(names()).toEqual([]);
    expect([...store.projects.values()].map(({ project }) => project.name)).toEqual(['ZITADEL']);
  });

  it('leave applications of others in the project unchanged', async () => {
    const { store, org } = migration;
    const common = { orgId: org, created: 0 };
    store.projects.put({ ...common, id: '77', project: { name: 'Mine' } as never });
    const api = { projectId: '77', name: 'shop', authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' as const };
    const app = { ...common, id: '88', projectId: '77', clientId: '9', oidc: undefined, api };
    store.apps.put(app);
    await migrateTo('project:77');
    await succeeded(importAll(secretsFile));
    expect(appOf('shop')).toEqual(app);
    expect(appOf('spa').projectId).toBe('77');
    expect(names()).toEqual(supported);
    expect(new Set(lines().map(({ oldClientId }) => oldClientId))).toEqual(new Set(['orders', 'spa']));
    await rollBack(route);
    expect(apps()).toEqual([app]);
  });

  it('stay with their project on undo if one was renamed by hand', async () => {
    await migrate();
    await importAll(secretsFile);
    const renamed = apps().find(({ oidc }) => oidc !== undefined)!;
    migration.store.apps.put({ ...renamed, oidc: { ...renamed.oidc!, name: 'by hand' } });
    const undone = await rollBack(route);
    expect(undone.exitCode).toBe(4);
    expect(noticesOf(undone)).toContain(
      'stays: it has an application that was created or renamed since, by hand.',
    );
    expect(names()).toEqual(['by hand']);
  });
});

it('import-users of applications leaves out an application that the service refuses, and keeps the others and the roles', async () => {
  await migrate('--roles=new:Harbour');
  const body = { code: 7, message: 'No matching permissions found' };
  await addFault(migration.to, { method: 'POST', path: '*/apps/oidc', times: 1, status: 403, body });
  const ran = await migration.via('one by one').send(secretsFile);
  expect(ran.exitCode).toBe(3);
  expect(noticesOf(ran)).toMatch(/Application "(?:shop|spa)" is not created: No matching permissions found/);
  expect(names()).toHaveLength(2);
  expect(migration.store.userGrants.size).toBeGreaterThan(0);
  expectSecrets();
});

it('import-users of applications reports how many client secrets are not saved', async () => {
  await migrate();
  const entry = migration.read('importBody.json');
  migration.put('importBody.json', entry.replaceAll(/"appId":"\d+"/g, '"appId":"5"'));
  const ran = await migration.via('one by one').send();
  expect(noticesOf(ran)).toContain('2 applications will get a client secret that is not saved');
});

/** As if the process had been killed between the answer and the file. */
it('import-users of applications creates no application twice when resumed, and generates missing secrets', async () => {
  const source = `--from=keycloak --realm=realm.json --org=${migration.org}`;
  const importing = `import-users ${source} --max-emails=9 --apps=new:Harbour ${secretsFile}`;
  const compare = (project: string) =>
    migration.runAt(`verify ${source} --apps=new:${project} --allow-extra`);
  await migration.runAt(importing);
  await succeeded(compare('Harbour'));
  const other = await compare('Other');
  expect(other.exitCode).toBe(4);
  expect(noticesOf(other)).toContain('Other is not at the target');
  const before = apps().map(({ id }) => id);
  const [first, ...others] = migration.lines('apps.ndjson');
  migration.put('apps.ndjson', `${others.join('\n')}\n${first!.slice(0, 20)}`);
  // Without its last line the run is not over.
  const journal = 'realm.json.users.journal';
  migration.put(journal, `${migration.lines(journal).slice(0, -1).join('\n')}\n`);
  await succeeded(migration.runAt(`${importing} --resume`));
  expect(apps().map(({ id }) => id)).toEqual(before);
  expectSecrets();
});
