/** Clients that become applications: written, imported in bulk and one by one, verified, rolled back. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addFault } from '../chaos/faults.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { richRealm } from '../support/rich-realm.ts';

const clients = [
  { clientId: 'shop', secret: 's3cret-of-the-shop', redirectUris: ['https://shop.example/back'] },
  { clientId: 'spa', publicClient: true, redirectUris: ['https://spa.example/*', 'https://spa.example/'] },
  { clientId: 'orders', bearerOnly: true },
  { clientId: 'old', enabled: false },
  { clientId: 'hr', protocol: 'saml' },
  { clientId: 'account', publicClient: true },
];

let cwd: string;
let target: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ ...richRealm, clients }));
  target = await startInstance(cwd, 'target');
});
afterEach(() => target.close());

const org = () => target.server.orgId;
const run = (...args: string[]): Promise<Ran> => runProgram(args, { cwd });
const migrate = (...flags: string[]) =>
  run('migrate', 'keycloak', `--org=${org()}`, '--realm=realm.json', '--apps=new:Harbour', ...flags);
const imports = {
  'in bulk': (...flags: string[]) =>
    run('import', 'importBody.json', '--max-emails=9', ...target.flags, ...flags),
  'one by one': (...flags: string[]) =>
    run('import-users', 'importBody.json', `--org=${org()}`, '--max-emails=9', ...target.flags, ...flags),
};
const ways = Object.entries(imports);
const journals = { 'in bulk': 'importBody.json.journal', 'one by one': 'importBody.json.users.journal' };

const texts = ({ events }: Ran): string =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])).join('\n');
const apps = () => [...target.server.state.store.apps.values()];
const nameOf = (app: ReturnType<typeof apps>[number]) => (app.oidc ?? app.api)!.name;
const names = () => apps().map(nameOf).toSorted();
const lines = (): Record<string, string>[] =>
  readFileSync(join(cwd, 'apps.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const hash = (secret: string) => createHash('sha256').update(secret).digest('base64');

/** Each line names an application at the target, and its secret is the one that counts there. */
function expectSecrets(): void {
  const found = new Map(lines().map((line) => [line['oldClientId'], line]));
  for (const app of apps()) {
    const line = found.get(nameOf(app))!;
    expect(line).toMatchObject({ appId: app.id, clientId: app.clientId, organization: org() });
    expect(line['clientSecret'] && hash(line['clientSecret'])).toBe(app.secretHash);
  }
  expect(found.size).toBe(apps().length);
}

describe('migrate --apps', () => {
  it('writes applications, and says what does not move of each client', async () => {
    const ran = await migrate('--report=report.json');
    const said = texts(ran);
    expect(said).toContain(
      'Clients: 3 as applications of the project "Harbour", 2 not migrated, 1 of Keycloak itself left out.',
    );
    expect(said).toContain(
      'client "spa", not migrated of it: redirect URI https://spa.example/* (a wildcard).',
    );
    expect(said).toContain('client "hr" is not migrated: the import takes no SAML applications.');
    expect(said).toContain('client "old" is not migrated: it is disabled');
    const body = readFileSync(join(cwd, 'importBody.json'), 'utf8');
    expect(body).not.toContain('s3cret-of-the-shop');
    expect(body).not.toContain('*');
    expect(readFileSync(join(cwd, 'report.json'), 'utf8')).toContain('https://spa.example/*');
  });

  it('shares the project of the roles, and takes one that exists', async () => {
    await migrate('--roles=new:Harbour');
    const [entry] = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8')).dataOrgs.orgs;
    expect(entry.projects).toHaveLength(1);
    const { problem } = await run('migrate', 'keycloak', '--org=1', '--realm=realm.json', '--apps=Harbour');
    expect(problem).toMatchObject({ message: '--apps Harbour names no project' });
  });

  it('says where an application gets another name than its client', async () => {
    const same = [...clients, { clientId: 'Shop' }, { clientId: 'x'.repeat(201), bearerOnly: true }];
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ ...richRealm, clients: same }));
    const said = texts(await migrate());
    expect(said).toContain(
      'client "Shop", not migrated of it: its name: the application is "Shop (harbour)";',
    );
    expect(said).toContain(`its name: the application is "${'x'.repeat(200)}"`);
  });

  it('is refused where an export has no clients', async () => {
    writeFileSync(join(cwd, 'users.csv'), 'username,email\nada,ada@example.com\n');
    const ran = await run('migrate', 'csv', '--org=1', '--users=users.csv', '--apps=new:Harbour');
    expect(ran.problem?.message).toContain('hold no clients');
  });
});

describe.each(ways)('applications, imported %s', (way, importAll) => {
  it('need a file for their secrets: nothing is sent without it', async () => {
    await migrate();
    const { problem } = await importAll();
    expect(problem?.message).toBe('2 applications will get a client secret');
    expect(apps()).toEqual([]);
    expect(existsSync(join(cwd, journals[way as keyof typeof journals]))).toBe(false);
  });

  it('need one that can be written: nothing is sent otherwise', async () => {
    await migrate();
    const { problem } = await importAll('--app-secrets=nowhere/apps.ndjson');
    expect(problem?.message).toContain('nowhere/apps.ndjson cannot be written');
    const { store } = target.server.state;
    expect([apps(), [...store.users.values()].filter(({ kind }) => kind === 'human')]).toEqual([[], []]);
  });

  it('keep their secrets where the answers of the service are lost', async () => {
    await migrate();
    for (const path of ['*/apps/oidc', '*/_generate_client_secret'])
      await addFault(target, { method: 'POST', path, times: 1, when: 'after', half: true });
    const ran = await importAll('--app-secrets=apps.ndjson');
    expect(ran.problem).toBeUndefined();
    expect(names()).toEqual(['orders', 'shop', 'spa']);
    expectSecrets();
  });

  it('keep their secrets where the file has been put away and a finished run is resumed', async () => {
    await migrate();
    await importAll('--app-secrets=apps.ndjson');
    renameSync(join(cwd, 'apps.ndjson'), join(cwd, 'vault.ndjson'));
    expect((await importAll('--app-secrets=apps.ndjson', '--resume')).problem).toBeUndefined();
    renameSync(join(cwd, 'vault.ndjson'), join(cwd, 'apps.ndjson'));
    expectSecrets();
  });

  it('say what the service finds fault with', async () => {
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ ...richRealm, clients: [{ clientId: 'bare' }] }));
    await migrate();
    expect(texts(await importAll('--app-secrets=apps.ndjson'))).toContain(
      'Application "bare" is created, and the service says of it: ',
    );
  });

  it('arrive with secrets in a file, are verified, and are rolled back', async () => {
    await migrate('--roles=new:Harbour');
    const ran = await importAll('--app-secrets=apps.ndjson', '--report=report.json');
    expect(ran.problem).toBeUndefined();
    expect(names()).toEqual(['orders', 'shop', 'spa']);
    expectSecrets();
    expect(statSync(join(cwd, 'apps.ndjson')).mode & 0o777).toBe(0o600);
    const journal = journals[way as keyof typeof journals];
    for (const { clientSecret } of lines()) {
      if (clientSecret === undefined) continue;
      for (const file of [journal, 'report.json']) {
        expect(readFileSync(join(cwd, file), 'utf8')).not.toContain(clientSecret);
      }
      expect(JSON.stringify(ran.events)).not.toContain(clientSecret);
    }

    const verify = () => run('verify', 'importBody.json', `--org=${org()}`, ...target.flags);
    expect((await verify()).exitCode).toBe(0);
    const { store } = target.server.state;
    const shop = apps().find((app) => nameOf(app) === 'shop')!;
    store.apps.put({ ...shop, oidc: { ...shop.oidc!, redirectUris: ['https://evil.example/'] } });
    store.apps.delete(apps().find((app) => nameOf(app) === 'spa')!.id);
    const verified = await verify();
    expect(verified.exitCode).toBe(4);
    expect(texts(verified)).toContain('differs in redirectUris');
    expect(texts(verified)).toMatch(/application spa of project \d+ is not at the target/);

    const undo = await run('undo', `--journal=${journal}`, '--yes=5', '--wait=0s', ...target.flags);
    expect(undo.problem).toBeUndefined();
    expect(names()).toEqual([]);
    expect([...store.projects.values()].map(({ project }) => project.name)).toEqual(['ZITADEL']);
  });

  it('leave those of others in the project alone', async () => {
    const { store } = target.server.state;
    const project = store.projects.put({
      id: '77',
      orgId: org(),
      project: { name: 'Mine' } as never,
      created: 0,
    });
    const other = {
      projectId: project.id,
      name: 'shop',
      authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' as const,
    };
    store.apps.put({
      id: '88',
      orgId: org(),
      projectId: project.id,
      clientId: '9',
      created: 0,
      oidc: undefined,
      api: other,
    });
    await run('migrate', 'keycloak', `--org=${org()}`, '--realm=realm.json', '--apps=project:77');
    await importAll('--app-secrets=apps.ndjson');
    expect(names()).toEqual(['orders', 'shop', 'spa']);
    expect(new Set(lines().map(({ oldClientId }) => oldClientId))).toEqual(new Set(['orders', 'spa']));
    const journal = journals[way as keyof typeof journals];
    await run('undo', `--journal=${journal}`, '--yes=5', '--wait=0s', ...target.flags);
    expect(names()).toEqual(['shop']);
  });
});

describe('undo', () => {
  it.each(Object.entries(journals))(
    '%s: keeps a project with an application renamed by hand',
    async (way, journal) => {
      const { store } = target.server.state;
      await migrate();
      await imports[way as keyof typeof imports]('--app-secrets=apps.ndjson');
      const renamed = [...store.apps.values()].find(({ oidc }) => oidc !== undefined)!;
      store.apps.put({ ...renamed, oidc: { ...renamed.oidc!, name: 'by hand' } });
      const undo = await run('undo', `--journal=${journal}`, '--yes=5', '--wait=0s', ...target.flags);
      expect(undo.exitCode).toBe(4);
      expect(texts(undo)).toContain(
        'stays: it has an application that was created or renamed since, by hand.',
      );
      expect(names()).toEqual(['by hand']);
    },
  );
});

describe('import-users', () => {
  it('leaves out an application that the service refuses, and keeps the others and the roles', async () => {
    await migrate('--roles=new:Harbour');
    const body = { code: 7, message: 'No matching permissions found' };
    await addFault(target, { method: 'POST', path: '*/apps/oidc', times: 1, status: 403, body });
    const ran = await imports['one by one']('--app-secrets=apps.ndjson');
    expect(ran.exitCode).toBe(3);
    expect(texts(ran)).toMatch(/Application "(?:shop|spa)" is not created: No matching permissions found/);
    expect(names()).toHaveLength(2);
    expect(target.server.state.store.userGrants.size).toBeGreaterThan(0);
    expectSecrets();
  });

  it('says which secrets are written nowhere', async () => {
    await migrate();
    const entry = readFileSync(join(cwd, 'importBody.json'), 'utf8');
    writeFileSync(join(cwd, 'importBody.json'), entry.replaceAll(/"appId":"\d+"/g, '"appId":"5"'));
    const ran = await imports['one by one']();
    expect(texts(ran)).toContain('2 applications will get a client secret that is written nowhere');
  });
});

describe('import-users, resumed', () => {
  /** As if the process had been killed between the answer and the file. */
  it('creates no application twice, and gets the secrets that are missing', async () => {
    const again = ['--from=keycloak', '--realm=realm.json', `--org=${org()}`, '--max-emails=9'];
    const flags = [...again, '--apps=new:Harbour', '--app-secrets=apps.ndjson', ...target.flags];
    await run('import-users', ...flags);
    const compare = ['verify', ...again.slice(0, 3), '--apps=new:Harbour', '--allow-extra', ...target.flags];
    expect((await run(...compare)).problem).toBeUndefined();
    const other = await run(...compare.with(4, '--apps=new:Other'));
    expect([other.exitCode, texts(other)]).toEqual([
      4,
      expect.stringContaining('Other is not at the target'),
    ]);
    const before = apps().map(({ id }) => id);
    const [first, ...others] = readFileSync(join(cwd, 'apps.ndjson'), 'utf8').trimEnd().split('\n');
    writeFileSync(join(cwd, 'apps.ndjson'), `${others.join('\n')}\n${first!.slice(0, 20)}`);
    const journal = join(cwd, 'realm.json.users.journal');
    // Without its last line the run is not over.
    const kept = readFileSync(journal, 'utf8').trimEnd().split('\n').slice(0, -1);
    writeFileSync(journal, `${kept.join('\n')}\n`);
    const { problem } = await run('import-users', ...flags, '--resume');
    expect(problem).toBeUndefined();
    expect(apps().map(({ id }) => id)).toEqual(before);
    expectSecrets();
  });
});
