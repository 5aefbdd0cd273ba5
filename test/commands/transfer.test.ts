import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codesOf,
  eventOf,
  jsonLines,
  textsOf,
  type Ran,
  type RunOptions,
  openWorkspace,
  type Workspace,
  succeeded,
} from '../support/workspace.ts';
import { type Instance } from '../support/instance.ts';
import { createHastyClock } from '../support/clock.ts';
import { countsOf as importCounts } from '../support/service.ts';
import { forwardHere } from '../support/local-server.ts';
import { comparable, hash, richOrg } from '../support/rich-org.ts';
import { startStorageService, type StorageService } from '../support/storage-service.ts';

let workspace: Workspace;
let from: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ domain: 'other.example' });
  from = await openWorkspace();
  workspace.write('from.token', from.server.tokens.iamOwner);
  workspace.write('to.token', workspace.server.tokens.iamOwner);
});

type Org = Record<string, any>;
const run = (line: string, options: Partial<RunOptions> = {}) =>
  workspace.run(line.trim(), { clock: createHastyClock(() => workspace.server.settled()), ...options });
const read = (name: string): Org[] => workspace.json(name).orgs;
/** Of all users, with the service account that each organization has; or of another list. */
const countsOf = (ran: Ran, list?: string) => importCounts(eventOf(ran, 'run:end'), list);
const otp = 'JBSWY3DPEHPK3PXP';
const exportFrom = ({ flags }: Instance, line: string) => run(`export ${flags.join(' ')} ${line}`);

async function seed(instance: Instance, ...orgs: readonly Org[]) {
  const answer = await instance.server.seed({ dataOrgs: { orgs }, timeout: '1m' });
  const refused = (answer.errors ?? []).filter(({ message }) => !message?.includes('Already'));
  expect(refused).toEqual([]);
}
const hasOrg = (id: string) => workspace.server.state.store.orgs.has(id);
const seedAcme = (users = 6) => seed(from, richOrg('100', 'Acme', 'a', users));
const seedBoth = () => seed(from, richOrg('100', 'Acme', 'a', 3), richOrg('200', 'Globex', 'b', 2));

it('export, import into another instance and export again gives the same organizations', async () => {
  await seed(from, richOrg('100', 'Acme', 'a', 40), richOrg('200', 'Globex', 'b', 5));
  const all = '--with-passwords --with-otp --org=100,200';
  const exported = await succeeded(exportFrom(from, `${all} --output=one.json`));
  expect(workspace.modeOf('one.json')).toBe(0o600);
  const end = eventOf(exported, 'export:end');
  expect(end.orgs).toMatchObject([
    { orgId: '100', name: 'Acme', counts: { humanUsers: 40, machineUsers: 1 }, passwords: 40, otp: 1 },
    { orgId: '200', name: 'Globex', counts: { humanUsers: 5 } },
  ]);
  expect(end.lost.join()).toContain('passkeys');

  const imported = await succeeded(run('import one.json --chunk-users=11'));
  expect(countsOf(imported)).toMatchObject({ read: 47, written: 47 });
  await succeeded(exportFrom(workspace, `${all} --output=two.json`));
  expect(read('two.json').map(comparable)).toEqual(read('one.json').map(comparable));
  expect(workspace.read('one.json')).toContain(hash);
});

const copy = (flags: string, options: Partial<RunOptions> = {}, fromUrl = from.url) => {
  const tokens = '--from-token-file=from.token --to-token-file=to.token';
  return run(`copy --from-url=${fromUrl} --to-url=${workspace.url} ${tokens} ${flags}`, options);
};

describe('copy', () => {
  it('copies nothing for a missing organization, and reports the kept export', async () => {
    await seedAcme();
    const ran = await copy('--org=100,4711');
    expect([ran.problem, ran.exitCode, hasOrg('100')]).toEqual([undefined, 3, false]);
    expect(textsOf(ran, 'copy:lost').join()).toMatch(/^Nothing was copied/);
    expect(textsOf(ran, 'copy:file-kept')).toHaveLength(1);
  });

  it.each([
    ['in its import', 'api:budget', '--budget=7', 'iamOwner'],
    ['before it', 'api:refused', '', 'nobody'],
  ] as const)(
    'that stopped %s resumes from the kept export, without an organization whose users the lists have lost',
    async (_, code, flags, token) => {
      await seedBoth();
      workspace.write('to.token', workspace.server.tokens[token]);
      const lost = { code: 3, message: 'x', details: [{ id: 'QUERY-3n77z', message: 'x' }] };
      const proxy = await forwardHere(from.url, async ({ path, body }, pass) =>
        path === '/admin/v1/export' && body.includes('"200"') ? Response.json(lost, { status: 400 }) : pass(),
      );
      const stopped = await copy(`--org=100,200 ${flags}`, {}, proxy);
      expect(stopped.problem).toMatchObject({ code });
      expect(codesOf(stopped)).toEqual(expect.arrayContaining(['export:lost', 'copy:file-kept']));
      workspace.write('to.token', workspace.server.tokens.iamOwner);
      // The kept export is what is copied.
      from.server.state.store.users.clear();
      const ran = await copy('--org=100,200 --resume', {}, proxy);
      expect(ran).toMatchObject({ exitCode: 3, problem: undefined });
      expect(countsOf(ran)).toMatchObject({ read: 4, written: 4 });
      expect(codesOf(ran)).toContain('copy:lost');
      expect([hasOrg('100'), hasOrg('200')]).toEqual([true, false]);
    },
  );

  /** As the service exports it: project members stand in every organization. */
  it('copies project members once although each organization of an export has them', async () => {
    await seedBoth();
    const domains = [{ domainName: 'proved.acme.example', isVerified: true, isPrimary: false }];
    const projects = [{ projectId: 'p-x', project: { name: 'X' } }];
    const projectMembers = [{ projectId: 'p-x', userId: 'a-user-0', roles: ['PROJECT_OWNER'] }];
    await seed(from, { orgId: '100', domains, projects, projectMembers });
    const ran = await succeeded(copy('--org=100,200 --report=copy.json --app-secrets=apps.ndjson'));
    expect(codesOf(ran)).not.toContain('app:no-secrets');
    const [one, other] = read('idport-copy.json').map((org) => org['projectMembers'].length as number);
    expect(one).toBe(other);
    expect(countsOf(ran, 'projectMembers')).toMatchObject({ read: 2 * one!, written: one, skipped: one });
    expect(workspace.json('copy.json').run.target).toBe(workspace.url);
    expect(codesOf(ran).filter((code) => code === 'profile:chosen')).toHaveLength(1);
  });

  it('refuses a taken organization name before it sends anything, and takes --rename-org', async () => {
    await seedAcme(3);
    await seed(workspace, { orgId: '900', org: { name: 'ACME' } });
    expect((await copy('--org=100')).problem).toMatchObject({
      code: 'usage',
      message: /has another organization named Acme/,
      hint: /--rename-org "Acme=<new name>".*--exclude/,
    });
    expect(workspace.has('idport-copy.json.journal')).toBe(false);
    const wrong = await copy('--org=100 --rename-org=Akme=New');
    expect(wrong.problem).toMatchObject({ code: 'usage', message: /no organization Akme/ });
    await succeeded(copy('--org=100 --rename-org=Acme=Acme-2'));
    expect(workspace.server.state.store.orgs.get('100')?.name).toBe('Acme-2');
  });

  it('keeps the export of a stopped copy for --resume', async () => {
    await seedAcme(30);
    const stopped = await copy('--org=100 --chunk-users=10 --budget=8');
    expect(stopped.problem).toMatchObject({ code: 'api:budget' });
    const kept = workspace.read('idport-copy.json');
    expect((await copy('--org=100')).problem).toMatchObject({ code: 'usage', hint: /--resume/ });
    expect(workspace.read('idport-copy.json')).toEqual(kept);
    const resumed = await succeeded(copy('--org=100', { dialog: { confirm: async () => true } }));
    expect(countsOf(resumed)).toMatchObject({ read: 31, written: 31 });
  });

  it.each([
    ['from', /^(?!.*--token-file).*--from-token-file or IDPORT_FROM_TOKEN/],
    ['to', /^(?!.*--token-file).*--to-token-file or IDPORT_TO_TOKEN/],
  ])('with a bad token on the %s side names the flags of that side', async (side, hint) => {
    await seedAcme();
    workspace.write(`${side}.token`, 'nonsense');
    expect((await copy('--org=100')).problem).toMatchObject({ code: 'api:unauthenticated', hint });
  });

  it.each([
    ['', true, true],
    ['--no-otp', true, false],
    ['--no-passwords --max-emails=unlimited', false, true],
  ])('with %s copies passwords: %s, one-time passwords: %s', async (flags, passwords, otps) => {
    await seedAcme();
    expect(countsOf(await succeeded(copy(`--org=100 ${flags}`)))).toMatchObject({ written: 7 });
    const carried = workspace.read('idport-copy.json');
    expect([carried.includes(hash), carried.includes(otp)]).toEqual([passwords, otps]);
  });

  it('opens each side with a key file of its own service account, and writes nothing if one is bad', async () => {
    await seedAcme();
    for (const [name, { server }] of Object.entries({ 'from.json': from, 'to.json': workspace }))
      workspace.write(name, await server.createKey());
    const keyed = (source: string, target: string) => {
      const keys = `--from-key-file=${source} --to-key-file=${target} --via=via.json`;
      return run(`copy --from-url=${from.url} --to-url=${workspace.url} --org=100 ${keys}`);
    };
    for (const bad of ['to.json', 'from.json']) {
      const { exitCode } = await keyed(bad, bad);
      expect([exitCode, workspace.has('via.json')]).toEqual([1, false]);
    }
    expect(countsOf(await succeeded(keyed('from.json', 'to.json')))).toMatchObject({ written: 7 });
  });
});

describe('idport export', () => {
  it.each(['', '--org=100,200'])(
    'filters --exclude %s itself because the service fails at it',
    async (flags) => {
      await seedBoth();
      const ran = await succeeded(exportFrom(from, `${flags} --exclude=200 --output=x.json`));
      expect(codesOf(ran).filter((code) => code.startsWith('export:'))).toEqual(['export:references']);
      const ids = read('x.json').map(({ orgId }) => orgId);
      expect(ids).toContain('100');
      expect(ids).not.toContain('200');
      expect(workspace.read('x.json')).not.toContain(hash);
    },
  );

  it('omits the auth method of applications, so that an import generates new secrets', async () => {
    await seedAcme(1);
    await exportFrom(from, '--org=100 --output=x.json');
    expect(workspace.read('x.json')).not.toContain('authMethodType');
    const ran = await succeeded(run('import x.json --max-emails=9 --app-secrets=apps.ndjson'));
    const app = expect.objectContaining({ clientSecret: expect.any(String) });
    expect(jsonLines(workspace.read('apps.ndjson'))).toEqual([app, app]);
    const written = { type: 'file:written', what: 'application secrets' };
    expect(ran.events).toContainEqual(expect.objectContaining(written));
  });

  /** The service exports what its lists show. */
  it('waits for users that the lists lag behind, and exits 5 if the wait is over', async () => {
    const clock = createHastyClock();
    from = await openWorkspace({ clock, lag: 20_000 });
    workspace.write('from.token', from.server.tokens.iamOwner);
    const at = from.flags.join(' ');
    usersInBody(6);
    await succeeded(run(`import body.json ${at}`));
    const copied = await copy('--wait=0s');
    expect([copied.exitCode, workspace.has('idport-copy.json')]).toEqual([5, false]);
    const early = await exportFrom(from, '--wait=0s --output=early.json');
    expect([early.exitCode, codesOf(early).includes('list:not-yet')]).toEqual([5, true]);
    await succeeded(run(`export ${at} --output=late.json`, { clock }));
    expect(read('late.json').find(({ orgId }) => orgId === '100')!['humanUsers']).toHaveLength(6);
  });

  it.each(['--org=4711', '--org=100 --exclude=100'])('refuses %s, with no organization', async (flags) => {
    expect(await exportFrom(from, flags)).toMatchObject({ exitCode: 1, problem: { code: 'export:empty' } });
    expect(workspace.has('export.json')).toBe(false);
  });

  it('works with the viewer role, and names the missing role otherwise', async () => {
    await seedAcme();
    const as = (role: 'iamViewer' | 'nobody', flags: string) => {
      workspace.write(role, from.server.tokens[role]);
      return run(`export --url=${from.url} --token-file=${role} ${flags}`);
    };
    await succeeded(as('iamViewer', '--org=100'));
    for (const flags of ['', '--org=100', '--exclude=100', '--split-by-org']) {
      const { problem } = await as('nobody', flags);
      expect(problem).toMatchObject({
        code: 'api:refused',
        hint: /iam\.read: give it the role IAM_OWNER_VIEWER or IAM_OWNER in the default settings/,
      });
      expect(problem?.hint).not.toContain('--org');
    }
  });
});

const body = (org: Org) => workspace.write('body.json', { dataOrgs: { orgs: [org] }, timeout: '1m' });
const usersInBody = (users?: number) => body(richOrg('100', 'Acme', 'a', users));
const importBody = (flags = '', options: Partial<RunOptions> = {}) =>
  run(`import body.json ${flags}`, options);

describe('a bucket of --gcs', () => {
  let storage: StorageService;
  let gcs: string;
  beforeEach(async () => {
    storage = await startStorageService();
    workspace = await openWorkspace({ storageEndpoint: storage.endpoint });
    workspace.write('gcs.json', storage.keyFile());
    gcs = `--gcs=gs://moving-day/body.json --gcs-key=gcs.json --gcs-endpoint=${storage.endpoint}`;
  });
  afterEach(() => storage.close());

  it('carries a body to the service, and the import waits until every user exists', async () => {
    usersInBody(30);
    const ran = await succeeded(importBody(gcs));
    expect(countsOf(ran)).toMatchObject({ read: 31, written: 31, rejected: 0, skipped: 0 });
    expect(Object.keys(JSON.parse(String(storage.objects.get('body.json'))))).toEqual(['orgs']);
    expect(codesOf(ran)).toEqual(expect.arrayContaining(['import:bucket', 'import:uncounted']));
    const { stdout } = await run('runs .');
    expect([stdout.includes('idport verify'), stdout.includes('idport undo')]).toEqual([true, false]);
  });

  it('needs a key before anything is asked', async () => {
    usersInBody();
    const ran = await importBody('--gcs=gs://a/b');
    expect([ran.problem?.message, codesOf(ran)]).toEqual(['--gcs needs --gcs-key=<file>', []]);
  });

  /** The object is read by the import after its upload, by the service before and after its download, and at the end. */
  it.each([
    [1, false],
    [4, true],
  ])('reports changed input if another program replaces the object (look %i)', async (look, imported) => {
    usersInBody();
    let looks = 0;
    storage.onRequest = (request) => {
      if (!request.startsWith('GET') || request.endsWith('?alt=media')) return;
      looks += 1;
      if (looks === look) storage.objects.set('body.json', Buffer.from('{"orgs":[]}'));
    };
    const message = expect.stringContaining('gs://moving-day/body.json');
    const problem = { code: 'input:changed', message };
    expect(await importBody(gcs)).toMatchObject({ exitCode: 1, problem });
    expect(workspace.server.state.store.users.has('a-user-0')).toBe(imported);
  });

  it('carries an export', async () => {
    await seed(workspace, richOrg('100', 'Acme', 'a'));
    const stays = await succeeded(exportFrom(workspace, `${gcs} --org=100`));
    expect(codesOf(stays)).toContain('export:in-bucket');
    expect(eventOf(stays, 'export:end').lost.join()).toContain('passkeys');
    expect([storage.objects.has('body.json'), workspace.has('export.json')]).toEqual([true, false]);
    const none = await exportFrom(workspace, `${gcs} --org=100 --exclude=100`);
    expect(none.problem).toMatchObject({ code: 'export:empty' });
    await succeeded(exportFrom(workspace, `${gcs} --exclude=${workspace.server.orgId} --download`));
    expect(read('export.json')[0]).toMatchObject({ orgId: '100', org: { name: 'Acme' } });
  });
});

describe('idport import', () => {
  it('writes report, rejects and id map, and fixed rejects can be imported', async () => {
    const broken = richOrg('100', 'Acme', 'a', 5) as { humanUsers: Org[] };
    broken.humanUsers[2]!['user'].profile.lastName = '';
    body(broken);
    const ran = await importBody('--report=r.md --rejects=rejects.json --id-map=ids.csv');
    expect(ran.exitCode).toBe(3);
    // Metadata of a user who is not there is refused as well.
    expect([countsOf(ran).rejected, countsOf(ran, 'userMetadata').rejected]).toEqual([1, 1]);
    expect(workspace.read('ids.csv').split('\n')).toEqual(
      expect.arrayContaining(['a-user-0,a-user-0,created', 'a-user-1,a-user-1,created', 'a-user-2,,failed']),
    );
    expect(workspace.read('r.md')).toContain('import:field-rule');
    workspace.write(
      'rejects.json',
      workspace.read('rejects.json').replace('"lastName":""', '"lastName":"Two"'),
    );
    await succeeded(run('import rejects.json'));
    expect(workspace.server.state.store.users.has('a-user-2')).toBe(true);
  });

  it('--dry-run forecasts the requests within the limits, and sends nothing', async () => {
    usersInBody(30);
    const rehearse = async (flag: string) => {
      const ran = await succeeded(importBody(`--dry-run ${flag}`));
      const requests = jsonLines(ran.stdout);
      const most = (size: 'bytes' | 'entries') => Math.max(...requests.map((request) => request[size]));
      return { ran, count: requests.length, most };
    };
    const { ran, count, most } = await rehearse('--chunk-users=20');
    expect(count).toBeGreaterThan(2);
    expect(most('entries')).toBe(20);
    expect(textsOf(ran, 'import:rehearsed')[0]).toMatch('`idport check` of this body compares');
    expect(eventOf(ran, 'forecast')).toMatchObject({ profile: 'self-hosted' });
    const small = await rehearse('--chunk-bytes=2000');
    expect(most('bytes')).toBeGreaterThan(2000);
    expect(small.most('bytes')).toBeLessThanOrEqual(2000);
  });

  it('asks at the terminal whether to resume an unfinished run of the same input', async () => {
    usersInBody(30);
    await importBody('--budget=8 --chunk-users=10');
    const asked: string[] = [];
    const answer = (yes: boolean) =>
      importBody('', { dialog: { confirm: async (question) => asked.push(question) > 0 && yes } });
    const before = workspace.read('body.json.journal');
    expect((await answer(false)).problem).toMatchObject({ code: 'usage', hint: /--resume/ });
    expect(workspace.read('body.json.journal')).toBe(before);
    expect(asked).toEqual([/: 0 of 31 users are done; \d of 46 other entries \(.*journal\)/]);
    usersInBody(31);
    expect((await answer(true)).problem).toMatchObject({ code: 'usage', message: /another input/ });
    usersInBody(30);
    expect(countsOf(await answer(true))).toMatchObject({ read: 31, written: 31, skipped: 0 });
    expect(asked).toHaveLength(2);
  });

  it('gives a second pass over the same file its own journal', async () => {
    usersInBody(5);
    await importBody();
    usersInBody(6);
    const since = '--since-journal=body.json.journal';
    const second = await succeeded(importBody(since));
    expect(countsOf(second)).toMatchObject({ read: 7, written: 1, unchanged: 6 });
    expect(workspace.has('body.json.2.journal')).toBe(true);
    expect((await importBody(`${since} --journal=body.json.journal`)).problem).toMatchObject({
      code: 'usage',
      message: /the same file as the file of --since-journal/,
    });
  });

  it('refuses standard input because it reads the input several times', async () => {
    const { problem } = await run('import -', { stdin: '{"orgs":[]}' });
    expect(problem).toMatchObject({ code: 'usage', message: /cannot be read more than once/ });
  });

  it('never prints a secret', async () => {
    usersInBody(5);
    const { events, problem } = await importBody('--report=r.json --id-map=i.csv');
    const files = ['r.json', 'i.csv', 'body.json.journal'].map(workspace.read);
    expect(workspace.modeOf('body.json.journal')).toBe(0o600);
    const said = [JSON.stringify([events, problem]), ...files].join('\n');
    for (const secret of [hash.slice(8), otp, workspace.server.tokens.iamOwner])
      expect(said).not.toContain(secret);
  });
});

it('idport token issues a token from a key file, and --check names its role', async () => {
  workspace.write('key.json', await workspace.server.createKey());
  const issued = await run('token --key-file=key.json --output=issued.token');
  expect([issued.problem, issued.stdout]).toEqual([undefined, '']);
  expect(workspace.modeOf('issued.token')).toBe(0o600);
  const checked = await run('token --check --token-file=issued.token');
  expect(checked.stdout).toContain('IAM_OWNER in the instance');
});
