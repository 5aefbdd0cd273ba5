import { text } from 'node:stream/consumers';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { createHastyClock } from '../support/hasty-clock.ts';
import { runProgram as runVerb, type Ran, type RunOptions } from '../support/program.ts';
import { comparable, hash, richOrg } from '../support/rich-org.ts';
import { startStorageService, type StorageService } from '../support/storage-service.ts';

let cwd: string;
let from: Instance;
let to: Instance;
let storage: StorageService | undefined;
beforeEach(async () => {
  cwd = createTestFolder();
  from = await startInstance(cwd, 'from');
  to = await startInstance(cwd, 'to', { domain: 'other.example' });
});
afterEach(async () => {
  await from.close();
  await to.close();
  await storage?.close();
  storage = undefined;
});

const runProgram = (argv: readonly string[], options: RunOptions): Promise<Ran> =>
  runVerb(argv, { clock: createHastyClock(() => to.server.settled()), ...options });

type Org = Record<string, any>;
const read = (name: string): { orgs: Org[] } => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
const eventOf = <Type extends IdportEvent['type']>(
  events: readonly IdportEvent[],
  type: Type,
): Extract<IdportEvent, { type: Type }> => {
  const found = events.find((event) => event.type === type);
  if (found === undefined) throw new Error(`no ${type} among ${JSON.stringify(events)}`);
  return found as Extract<IdportEvent, { type: Type }>;
};
const noticesOf = (events: readonly IdportEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));

async function seed(instance: Instance, orgs: readonly Org[]): Promise<void> {
  const answer = await instance.server.seed({ dataOrgs: { orgs }, timeout: '1m' });
  const refused = (answer.errors ?? []).filter(({ message }) => !message?.includes('Already'));
  expect(refused).toEqual([]);
}

describe('export, import into another instance, export again', () => {
  it('gives the same, but for what no export can hold', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a', 40), richOrg('200', 'Globex', 'b', 5)]);
    const all = ['--with-passwords', '--with-otp', '--org', '100,200'];
    const exported = await runProgram(['export', ...from.flags, ...all, '--output', 'one.json'], { cwd });
    expect(exported.problem).toBeUndefined();
    expect(statSync(join(cwd, 'one.json')).mode & 0o777).toBe(0o600);
    const end = eventOf(exported.events, 'export:end');
    expect(end.orgs).toMatchObject([
      { orgId: '100', name: 'Acme', counts: { humanUsers: 40, machineUsers: 1 }, passwords: 40, otp: 1 },
      { orgId: '200', name: 'Globex', counts: { humanUsers: 5 } },
    ]);
    expect(end.lost.join()).toContain('passkeys');

    const imported = await runProgram(['import', 'one.json', ...to.flags, '--chunk-users', '11'], { cwd });
    expect(imported.problem).toBeUndefined();
    expect(imported.exitCode).toBe(0);
    const lists = eventOf(imported.events, 'import:end').lists;
    expect(lists.find(({ list }) => list === 'humanUsers')).toMatchObject({ total: 45, created: 45 });

    const again = await runProgram(['export', ...to.flags, ...all, '--output', 'two.json'], { cwd });
    expect(again.problem).toBeUndefined();
    const [one, two] = [read('one.json'), read('two.json')];
    expect(two.orgs.map(comparable)).toEqual(one.orgs.map(comparable));
    expect(JSON.stringify(one)).toContain(hash);
  });

  const copying = (...flags: string[]): string[] => [
    'copy',
    `--from-url=${from.url}`,
    `--from-token-file=${from.tokenFile}`,
    `--to-url=${to.url}`,
    `--to-token-file=${to.tokenFile}`,
    ...flags,
  ];

  it('goes on without an organization of which the lists have lost users', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a', 3), richOrg('200', 'Globex', 'b', 2)]);
    const lost = { code: 3, message: 'x', details: [{ id: 'QUERY-3n77z', message: 'x' }] };
    const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = 'GET', headers, url = '' } = request;
      const body = await text(request);
      const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' };
      const init = { method, headers: sent, ...(method === 'GET' ? {} : { body }) };
      const isLost = url === '/admin/v1/export' && body.includes('"200"');
      const answer = isLost ? Response.json(lost, { status: 400 }) : await fetch(from.url + url, init);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    };
    const proxy = createServer((request, response) => void pass(request, response));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const flags = [`--from-url=http://127.0.0.1:${port}`, '--org', '100,200'];
    const stopped = await runProgram(copying(...flags, '--budget=7'), { cwd });
    expect(stopped.problem).toMatchObject({ code: 'api:budget' });
    expect(noticesOf(stopped.events)).toContain('export:lost');
    const { problem, exitCode, events } = await runProgram(copying(...flags, '--resume'), { cwd });
    proxy.close();
    expect([problem, exitCode]).toEqual([undefined, 3]);
    expect(noticesOf(events)).toContain('copy:lost');
    expect(to.server.state.store.orgs.has('100')).toBe(true);
    expect(to.server.state.store.orgs.has('200')).toBe(false);
  });

  /** As the service exports it: project members stand in every organization. */
  async function seedMembers(): Promise<void> {
    await seed(from, [richOrg('100', 'Acme', 'a', 3), richOrg('200', 'Globex', 'b', 2)]);
    const domains = [{ domainName: 'proved.acme.example', isVerified: true, isPrimary: false }];
    const own = { orgId: '100', domains, projects: [{ projectId: 'p-x', project: { name: 'X' } }] };
    const projectMembers = [{ projectId: 'p-x', userId: 'a-user-0', roles: ['PROJECT_OWNER'] }];
    await seed(from, [{ ...own, projectMembers }]);
  }

  it('copies project members once, although an export has them in each organization', async () => {
    await seedMembers();
    const { problem, exitCode, events } = await runProgram(
      copying('--org', '100,200', '--report', 'copy.json'),
      { cwd },
    );
    expect(problem).toBeUndefined();
    const exported = read('idport-copy.json').orgs.map(({ projectMembers }) => projectMembers.length);
    expect(exported[0]).toBe(exported[1]);
    const lists = eventOf(events, 'import:end').lists;
    expect(lists.filter(({ failed, rejected }) => failed + rejected > 0)).toEqual([]);
    const members = lists.find(({ list }) => list === 'projectMembers');
    expect(members).toMatchObject({ total: 2 * exported[0]!, created: exported[0], existed: exported[0] });
    expect(exitCode).toBe(0);
    expect(existsSync(join(cwd, 'copy.json'))).toBe(true);
  });

  it('asks for names that are taken before anything is sent, and takes another one', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a', 3)]);
    await seed(to, [{ orgId: '900', org: { name: 'ACME' } }]);
    const refused = await runProgram(copying('--org', '100'), { cwd });
    expect(refused.problem).toMatchObject({
      code: 'usage',
      message: /has another organization named Acme/,
      hint: /--rename-org "Acme=<new name>"/,
    });
    expect(existsSync(join(cwd, 'idport-copy.json.journal'))).toBe(false);
    const wrong = await runProgram(copying('--org', '100', '--rename-org', 'Akme=New'), { cwd });
    expect(wrong.problem).toMatchObject({ code: 'usage', message: /no organization Akme/ });
    const renamed = await runProgram(copying('--org', '100', '--rename-org', 'Acme=Acme 2'), { cwd });
    expect([renamed.problem, renamed.exitCode]).toEqual([undefined, 0]);
    expect(to.server.state.store.orgs.get('100')?.name).toBe('Acme 2');
  });

  it('keeps the export of a copy that stopped, which the rest of the copy needs', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a', 30)]);
    const few = ['--org', '100', '--chunk-users', '10', '--budget', '8'];
    expect((await runProgram(copying(...few), { cwd })).problem).toMatchObject({ code: 'api:budget' });
    const kept = readFileSync(join(cwd, 'idport-copy.json'));
    const again = await runProgram(copying('--org', '100'), { cwd });
    expect(again.problem).toMatchObject({ code: 'usage', hint: /--resume/ });
    expect(readFileSync(join(cwd, 'idport-copy.json'))).toEqual(kept);
    const resumed = await runProgram(copying('--org', '100'), { cwd, askYes: async () => true });
    expect([resumed.problem, resumed.exitCode]).toEqual([undefined, 0]);
    expect(
      eventOf(resumed.events, 'import:end').lists.find(({ list }) => list === 'humanUsers'),
    ).toMatchObject({ total: 30, created: 30 });
  });

  it.each([
    [['--report', 'x.txt'], /must end in/],
    [['--report', 'idport-copy.json'], /the same file as the export/],
    [['--rejects', 'from.token'], /the same file as the file of --from-token-file/],
    [['--journal', 'idport-copy.json'], /the same file as the export/],
    [['--via', 'to.token'], /the same file as the file of --to-token-file/],
    [['--via', '-'], /read several times/],
    [['--chunk-users', '0'], /whole number of at least 1/],
  ])('refuses a copy with %j before it asks for anything', async (flags, message) => {
    await seed(from, [richOrg('100', 'Acme', 'a')]);
    const files = readdirSync(cwd);
    const { problem, events } = await runProgram(copying(...flags), { cwd });
    expect(problem).toMatchObject({ code: 'usage', message });
    expect(noticesOf(events)).toHaveLength(events.length);
    expect(noticesOf(events).filter((code) => code !== 'profile:chosen')).toEqual([]);
    expect(readdirSync(cwd)).toEqual(files);
  });

  it.each([
    ['from', /^(?!.*--token-file).*--from-token-file or IDPORT_FROM_TOKEN/],
    ['to', /^(?!.*--token-file).*--to-token-file or IDPORT_TO_TOKEN/],
  ])('with a bad token for the side of %s names the flags of that side', async (side, hint) => {
    await seed(from, [richOrg('100', 'Acme', 'a')]);
    writeFileSync(join(cwd, `${side}.token`), 'nonsense');
    const { problem } = await runProgram(copying('--org', '100'), { cwd });
    expect(problem).toMatchObject({ code: 'api:unauthenticated', hint });
  });

  it('never replaces the token that it comes with', async () => {
    const output = ['--output', './from.token'];
    for (const verb of ['export', 'token']) {
      const { problem } = await runProgram([verb, ...from.flags, ...output], { cwd });
      expect(problem).toMatchObject({ code: 'usage', message: /the same file as the file of --token-file/ });
    }
    expect(readFileSync(from.tokenFile, 'utf8')).toBe(from.server.tokens.iamOwner);
  });
});

describe('an export', () => {
  it('leaves organizations out without asking the service to, which fails at that', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a'), richOrg('200', 'Globex', 'b')]);
    const { problem } = await runProgram(
      ['export', ...from.flags, '--exclude', '200', '--output', 'x.json'],
      { cwd },
    );
    expect(problem).toBeUndefined();
    expect(read('x.json').orgs.map(({ orgId }) => orgId)).not.toContain('200');
    expect(read('x.json').orgs.map(({ orgId }) => orgId)).toContain('100');
    expect(readFileSync(join(cwd, 'x.json'), 'utf8')).not.toContain(hash);
  });

  it('gives machine users their ids back', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a')]);
    const { events } = await runProgram(['export', ...from.flags, '--org', '100', '--output', 'x.json'], {
      cwd,
    });
    expect(read('x.json').orgs[0]?.['machineUsers'][0]).toMatchObject({
      userId: 'a-robot',
      user: { userId: 'a-robot' },
    });
    expect(noticesOf(events)).toContain('export:fixed');
  });

  it('goes on organization by organization when one answer is too large', async () => {
    const text = 'x'.repeat(7_000_000 / 15);
    const heavy = (orgId: string, name: string): Org => ({
      orgId,
      org: { name },
      humanUsers: [],
      userMetadata: Array.from({ length: 15 }, (_, i) => ({
        id: `${name}-user`,
        key: `key-${i}`,
        value: Buffer.from(text).toString('base64'),
      })),
    });
    const user = (name: string): Org => ({
      ...(richOrg('x', name, name, 1)['humanUsers'] as Org[])[0],
      userId: `${name}-user`,
    });
    await seed(from, [
      { ...heavy('100', 'Acme'), humanUsers: [user('Acme')] },
      { ...heavy('200', 'Globex'), humanUsers: [user('Globex')] },
    ]);
    const { problem, events } = await runProgram(['export', ...from.flags, '--output', 'x.json'], { cwd });
    expect(problem).toBeUndefined();
    expect(noticesOf(events)).toContain('export:split');
    expect(read('x.json').orgs.map(({ orgId }) => orgId)).toEqual(expect.arrayContaining(['100', '200']));
  });

  it('of an organization that is not there says so', async () => {
    const { problem, exitCode } = await runProgram(['export', ...from.flags, '--org', '4711'], { cwd });
    expect(problem).toMatchObject({ code: 'export:empty' });
    expect(exitCode).toBe(1);
    expect(existsSync(join(cwd, 'export.json'))).toBe(false);
  });

  it('with the role of a viewer is enough; without any role it says which is missing', async () => {
    await seed(from, [richOrg('100', 'Acme', 'a')]);
    writeFileSync(join(cwd, 'viewer'), from.server.tokens.iamViewer);
    writeFileSync(join(cwd, 'nobody'), from.server.tokens.nobody);
    const as = (file: string, ...flags: string[]): string[] => [
      'export',
      '--url',
      from.url,
      '--token-file',
      file,
      ...flags,
    ];
    expect((await runProgram(as('viewer', '--org', '100'), { cwd })).problem).toBeUndefined();
    for (const flags of [[], ['--org', '100'], ['--exclude', '100'], ['--split-by-org']]) {
      const { problem } = await runProgram(as('nobody', ...flags), { cwd });
      expect(problem).toMatchObject({
        code: 'api:refused',
        hint: /iam\.read: give it the role IAM_OWNER_VIEWER or IAM_OWNER in the default settings/,
      });
      expect(problem?.hint).not.toContain('--org');
    }
  });
});

describe('a bucket', () => {
  async function withStorage(): Promise<string[]> {
    storage = await startStorageService();
    await to.close();
    to = await startInstance(cwd, 'to', { storageEndpoint: storage.endpoint });
    writeFileSync(join(cwd, 'gcs.json'), storage.keyFile());
    return [
      '--gcs',
      'gs://moving-day/body.json',
      '--gcs-key',
      'gcs.json',
      '--gcs-endpoint',
      storage.endpoint,
    ];
  }

  it('carries a body to the service, which works on it unseen until every user is there', async () => {
    const gcs = await withStorage();
    writeFileSync(
      join(cwd, 'body.json'),
      JSON.stringify({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a', 30)] }, timeout: '1m' }),
    );
    const { problem, exitCode, events } = await runProgram(['import', 'body.json', ...to.flags, ...gcs], {
      cwd,
    });
    expect(problem).toBeUndefined();
    expect(exitCode).toBe(0);
    expect(eventOf(events, 'import:end').lists.find(({ list }) => list === 'humanUsers')).toEqual({
      list: 'humanUsers',
      total: 30,
      created: 30,
      existed: 0,
      failed: 0,
      rejected: 0,
    });
    const stored = JSON.parse(String(storage?.objects.get('body.json')));
    expect(Object.keys(stored)).toEqual(['orgs']);
    expect(noticesOf(events)).toContain('import:uncounted');
  });

  it('loses no user: those whom the job could not take are sent inline, which says why', async () => {
    const gcs = await withStorage();
    const org = richOrg('100', 'Acme', 'a', 8) as { humanUsers: Org[] };
    org.humanUsers[5]!['user'].email.email = 'no user at all';
    writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] } }));
    const { exitCode, events } = await runProgram(['import', 'body.json', ...to.flags, ...gcs], { cwd });
    expect(exitCode).toBe(3);
    expect(noticesOf(events)).toContain('import:job-over');
    const end = eventOf(events, 'import:end');
    expect(end.lists.find(({ list }) => list === 'humanUsers')).toMatchObject({
      total: 8,
      created: 7,
      failed: 1,
    });
    const refused = events.find((event) => event.type === 'record:rejected');
    expect(refused).toMatchObject({ code: 'import:refused', detail: /EMAIL-599BI/ });
  });

  /** The object is read by the import after its upload, by the service before and after its download, and at the end. */
  it.each([
    [1, false],
    [4, true],
  ])('whose object another program replaces ends as changed (look %i)', async (look, imported) => {
    const gcs = await withStorage();
    const body = JSON.stringify({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a')] } });
    writeFileSync(join(cwd, 'body.json'), body);
    let looks = 0;
    storage!.onRequest = (request) => {
      if (!request.startsWith('GET') || request.endsWith('?alt=media')) return;
      looks += 1;
      if (looks === look) storage?.objects.set('body.json', Buffer.from('{"orgs":[]}'));
    };
    const { problem, exitCode } = await runProgram(['import', 'body.json', ...to.flags, ...gcs], { cwd });
    expect([problem?.code, exitCode]).toEqual(['input:changed', 1]);
    expect(problem?.message).toContain('gs://moving-day/body.json');
    expect(to.server.state.store.users.has('a-user-0')).toBe(imported);
  });

  it('can be the way of an export, too', async () => {
    const gcs = await withStorage();
    await to.server.seed({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a')] }, timeout: '1m' });
    const stays = await runProgram(['export', ...to.flags, ...gcs, '--org', '100'], { cwd });
    expect(stays.problem).toBeUndefined();
    expect(noticesOf(stays.events)).toContain('export:in-bucket');
    expect(storage?.objects.has('body.json')).toBe(true);
    expect(existsSync(join(cwd, 'export.json'))).toBe(false);
    const fetched = await runProgram(['export', ...to.flags, ...gcs, '--org', '100', '--download'], { cwd });
    expect(fetched.problem).toBeUndefined();
    expect(read('export.json').orgs[0]).toMatchObject({ orgId: '100', org: { name: 'Acme' } });
  });
});

describe('an import', () => {
  const body = (users: number): string => {
    const text = JSON.stringify({ dataOrgs: { orgs: [richOrg('100', 'Acme', 'a', users)] }, timeout: '1m' });
    writeFileSync(join(cwd, 'body.json'), text);
    return 'body.json';
  };

  it('writes report, rejects and id map, and the rejects can be fixed and imported', async () => {
    const org = richOrg('100', 'Acme', 'a', 5) as { humanUsers: Org[] };
    const broken = structuredClone(org);
    broken.humanUsers[2]!['user'].profile.lastName = '';
    writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [broken] } }));
    const outputs = ['--report', 'r.md', '--rejects', 'rejects.json', '--id-map', 'ids.csv'];
    const { exitCode, events } = await runProgram(['import', 'body.json', ...to.flags, ...outputs], { cwd });
    expect(exitCode).toBe(3);
    // Metadata of a user who is not there is refused as well.
    expect(eventOf(events, 'import:end').reasons).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(readFileSync(join(cwd, 'ids.csv'), 'utf8').split('\n').slice(0, 4)).toEqual([
      'old_id,new_id,state',
      'a-user-0,a-user-0,created',
      'a-user-1,a-user-1,created',
      'a-user-2,,failed',
    ]);
    expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toContain('import:field-rule');
    const rejects = readFileSync(join(cwd, 'rejects.json'), 'utf8').replace(
      '"lastName":""',
      '"lastName":"Two"',
    );
    writeFileSync(join(cwd, 'rejects.json'), rejects);
    const fixed = await runProgram(['import', 'rejects.json', ...to.flags], { cwd });
    expect([fixed.problem, fixed.exitCode]).toEqual([undefined, 0]);
    expect(to.server.state.store.users.has('a-user-2')).toBe(true);
  });

  it('says beforehand what it would send, and sends nothing', async () => {
    const { stdout, exitCode, events } = await runProgram(
      ['import', body(30), '--dry-run', '--chunk-users', '20'],
      { cwd },
    );
    expect(exitCode).toBe(0);
    const requests = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Org);
    expect(requests.length).toBeGreaterThan(2);
    expect(Math.max(...requests.map(({ entries }) => entries as number))).toBe(20);
    expect(JSON.stringify(events)).toMatch(
      /"import:rehearsed","text":"[^"]*`idport check` of this body compares/,
    );
    expect(eventOf(events, 'forecast')).toMatchObject({ profile: 'self-hosted' });
  });

  it('keeps a journal beside the body, and does not begin anew over an unfinished one', async () => {
    const first = await runProgram(
      ['import', body(30), ...to.flags, '--budget', '8', '--chunk-users', '10'],
      { cwd },
    );
    expect(first.problem).toMatchObject({ code: 'api:budget' });
    expect(noticesOf(first.events)).toContain('import:resume');
    expect(statSync(join(cwd, 'body.json.journal')).mode & 0o777).toBe(0o600);
    const second = await runProgram(['import', 'body.json', ...to.flags], { cwd });
    expect(second.problem).toMatchObject({ code: 'usage', hint: /--resume/ });
    const third = await runProgram(['import', 'body.json', ...to.flags, '--resume'], { cwd });
    expect([third.problem, third.exitCode]).toEqual([undefined, 0]);
    expect(eventOf(third.events, 'import:end').lists.find(({ list }) => list === 'humanUsers')).toMatchObject(
      { total: 30, created: 30 },
    );
    const again = await runProgram(['import', 'body.json', ...to.flags], { cwd });
    expect(noticesOf(again.events)).toContain('journal:kept');
    expect(eventOf(again.events, 'import:end').lists.find(({ list }) => list === 'humanUsers')).toMatchObject(
      { existed: 30 },
    );
  });

  describe('that finds an unfinished run', () => {
    const stopped = async (): Promise<void> => {
      await runProgram(['import', body(30), ...to.flags, '--budget', '8', '--chunk-users', '10'], { cwd });
    };

    it('asks the user at the terminal, and goes on', async () => {
      await stopped();
      const asked: string[] = [];
      const { problem, events } = await runProgram(['import', 'body.json', ...to.flags], {
        cwd,
        askYes: async (question) => asked.push(question) > 0,
      });
      expect([problem, asked.length]).toEqual([undefined, 1]);
      expect(asked[0]).toMatch(/: 0 of 31 users are done, and \d of 46 other entries \(.*journal\)/);
      expect(eventOf(events, 'import:end').lists.find(({ list }) => list === 'humanUsers')).toMatchObject({
        total: 30,
        created: 30,
        existed: 0,
      });
    });

    it('leaves it alone when the answer is no', async () => {
      await stopped();
      const before = readFileSync(join(cwd, 'body.json.journal'), 'utf8');
      const { problem } = await runProgram(['import', 'body.json', ...to.flags], {
        cwd,
        askYes: async () => false,
      });
      expect(problem).toMatchObject({ code: 'usage', hint: /--resume/ });
      expect(readFileSync(join(cwd, 'body.json.journal'), 'utf8')).toBe(before);
    });

    it('of something else does not ask, and names what differs', async () => {
      await stopped();
      body(31);
      const { problem } = await runProgram(['import', 'body.json', ...to.flags], {
        cwd,
        askYes: () => Promise.reject(new Error('asked')),
      });
      expect(problem).toMatchObject({ code: 'usage', message: /another input/ });
    });
  });

  it('of a second pass over the same file has a journal of its own', async () => {
    await runProgram(['import', body(5), ...to.flags], { cwd });
    body(6);
    const since = ['--since-journal', 'body.json.journal'];
    const second = await runProgram(['import', 'body.json', ...to.flags, ...since], { cwd });
    expect([second.problem, second.exitCode]).toEqual([undefined, 0]);
    expect(
      eventOf(second.events, 'import:end').lists.find(({ list }) => list === 'humanUsers'),
    ).toMatchObject({
      total: 6,
      created: 1,
      unchanged: 5,
    });
    expect(existsSync(join(cwd, 'body.json.2.journal'))).toBe(true);
    const named = [...since, '--journal', 'body.json.journal'];
    const third = await runProgram(['import', 'body.json', ...to.flags, ...named], { cwd });
    expect(third.problem).toMatchObject({ code: 'usage', message: /the same file as the previous journal/ });
  });

  it('of standard input is refused, since it is read more than once', async () => {
    const { problem } = await runProgram(['import', '-', ...to.flags], { cwd, stdin: '{"orgs":[]}' });
    expect(problem).toMatchObject({ code: 'usage', message: /cannot be read more than once/ });
  });

  it.each([
    ['{"realm":"x","users":[]}', /no organizations/],
    ['{"dataOrgs":{"orgs":[{"humanUsers":[]}]}}', /has no orgId/],
    ['{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":{}}]}}', /humanUsers is an object, not a list/],
    ['{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[', /ends/],
  ])('of %s says what is wrong', async (text, message) => {
    writeFileSync(join(cwd, 'body.json'), text);
    const { problem } = await runProgram(['import', 'body.json', ...to.flags], { cwd });
    expect(problem).toMatchObject({ message });
  });

  it('never shows a secret', async () => {
    const { events, problem } = await runProgram(
      ['import', body(5), ...to.flags, '--report', 'r.json', '--id-map', 'i.csv'],
      { cwd },
    );
    const files = ['r.json', 'i.csv', 'body.json.journal'].map((name) =>
      readFileSync(join(cwd, name), 'utf8'),
    );
    const said = [JSON.stringify(events), JSON.stringify(problem), ...files].join('\n');
    expect(said).not.toContain(hash.slice(8));
    expect(said).not.toContain('JBSWY3DPEHPK3PXP');
    expect(said).not.toContain(to.server.tokens.iamOwner);
  });
});

describe('a token', () => {
  it('comes from a key file, and is told whose it is', async () => {
    const key = await to.server.createKey();
    writeFileSync(join(cwd, 'key.json'), JSON.stringify(key));
    const flags = ['--url', to.url, '--key-file', 'key.json'];
    const issued = await runProgram(['token', ...flags, '--output', 'issued.token'], { cwd });
    expect([issued.problem, issued.stdout]).toEqual([undefined, '']);
    expect(statSync(join(cwd, 'issued.token')).mode & 0o777).toBe(0o600);
    const checked = await runProgram(['token', '--check', '--url', to.url, '--token-file', 'issued.token'], {
      cwd,
    });
    expect(checked.stdout).toContain('IAM_OWNER in the instance');
  });

  it('that is not good is told with what to do', async () => {
    writeFileSync(join(cwd, 'bad.token'), 'nonsense');
    const { problem } = await runProgram(['token', '--check', '--url', to.url, '--token-file', 'bad.token'], {
      cwd,
    });
    expect(problem).toMatchObject({ code: 'api:unauthenticated', hint: /expired/ });
  });
});
