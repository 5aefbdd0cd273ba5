import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedToken } from '../../../src/api/credentials.ts';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { ImportEnd, ImportRequest } from '../../../src/flows/import/import.ts';
import { writeOutputs } from '../../../src/flows/import/outputs.ts';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import type { ListTally } from '../../../src/records/import-tally.ts';
import { openOutput } from '../../../src/storage/open-output.ts';
import { bodyOf, human, journalName, runImport } from '../../support/import-run.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';
import { createService, type Fault, type Service } from '../../support/service.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'idport-import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (service: Service, body: string, overrides: Partial<ImportRequest> = {}): Promise<ImportEnd> =>
  runImport(service, folder, body, overrides);

async function usersOf(server: FullServer, orgId: string): Promise<string[]> {
  const { body } = await server.call(
    'POST /management/v1/users/_search',
    { query: { limit: 1000 } },
    { orgId },
  );
  return (body.result ?? []).map((user: { id: string }) => user.id);
}

/** By default the service does what the first import asks for, and its answer never arrives. */
function loseFirstImport(how: Fault = 'lost'): (request: ApiRequest) => Fault | undefined {
  let lost = false;
  return ({ url }) => {
    if (lost || !url.endsWith('/import')) return undefined;
    lost = true;
    return how;
  };
}

const sampleUsers = (end: ImportEnd): ListTally | undefined => end.tally.lists.get('humanUsers');
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `u-${i}`);

describe('an import', () => {
  it('says before it sends who cannot sign in because the target refuses the hash', async () => {
    const service = createService();
    const { orgId } = service.server;
    const humanUsers = [
      human('u-1'),
      human('u-2', {
        hashedPassword: { value: `$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}` },
      }),
    ];
    await run(service, bodyOf(orgId, { humanUsers }), { profile: builtInProfiles.get('self-hosted')! });
    expect(JSON.stringify(service.events)).toContain(
      '1 of 2 can sign in right away with their old password; 1 has a password hash that the target refuses',
    );
  });

  it('sends users before what refers to them, wherever that stands in the body', async () => {
    const service = createService();
    const { orgId } = service.server;
    const ids = Array.from({ length: 130 }, (_, i) => `u-${i}`);
    const end = await run(
      service,
      bodyOf(orgId, {
        orgMembers: ids.slice(0, 3).map((userId) => ({ userId, roles: ['ORG_OWNER_VIEWER'] })),
        userGrants: ids.map((userId) => ({ userId, projectId: 'p1', roleKeys: ['reader'] })),
        userMetadata: ids.map((id) => ({ id, key: 'legacy', value: 'b2xk' })),
        projectRoles: [{ projectId: 'p1', roleKey: 'reader', displayName: 'Reader' }],
        projects: [{ projectId: 'p1', project: { name: 'Portal' } }],
        humanUsers: ids.map((id) => human(id)),
      }),
      { size: { bytes: 4_190_000, jsonBytes: Infinity, most: 7, seconds: 30 } },
    );
    for (const [list, counts] of end.tally.lists) {
      expect({ list, ...counts }).toEqual({
        list,
        total: counts.total,
        created: counts.total,
        existed: 0,
        failed: 0,
        rejected: 0,
      });
    }
    expect(end.tally.lists.get('userMetadata')?.total).toBe(130);
  });

  it('reads an export, a body in snake case, and the first form', async () => {
    const service = createService();
    const { orgId } = service.server;
    const forms: [string, string][] = [
      ['a', JSON.stringify({ orgs: [{ orgId, humanUsers: [human('a')] }] })],
      [
        'b',
        JSON.stringify({
          timeout: '1m',
          data_orgs: { orgs: [{ human_users: [human('b')], org_id: orgId }] },
        }),
      ],
      ['c', JSON.stringify({ dataOrgsv1: { orgs: [{ orgId, humanUsers: [human('c')] }] } })],
      ['d', JSON.stringify({ orgs: [{ orgId, iamPolicy: { orgId: 'x' }, humanUsers: [human('d')] }] })],
    ];
    for (const [id, body] of forms) {
      const end = await run(service, body, { journal: { path: join(folder, id), resume: false } });
      expect(sampleUsers(end)).toMatchObject({ total: 1, created: 1 });
      expect(end.source.scan.firstForm).toBe(id >= 'c');
    }
    expect(await usersOf(service.server, orgId)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
  });

  it('sends the texts of each organization with its name in the header', async () => {
    const named: [string | undefined, string][] = [];
    const service = createService({
      fault: ({ url, headers, body = '' }) => {
        if (url.endsWith('/import')) named.push([headers['x-zitadel-orgid'], body]);
        return undefined;
      },
    });
    const { orgId } = service.server;
    const initMessages = [{ language: 'en', title: 'Hello', subject: 'Welcome', text: 'Come in' }];
    const orgs = [
      { orgId, humanUsers: [human('a')], initMessages },
      { orgId: '200', org: { name: 'Globex' }, humanUsers: [human('b')], initMessages },
    ];
    const end = await run(service, JSON.stringify({ dataOrgs: { orgs } }));
    expect(end.tally.lists.get('initMessages')).toMatchObject({ total: 2, created: 2 });
    expect(named.map(([org, body]) => [org, body.includes('Welcome'), body.includes('humanUsers')])).toEqual([
      [undefined, false, false],
      [orgId, true, false],
      ['200', true, false],
      [undefined, false, true],
    ]);
  });

  it('cuts requests by size, and splits again what the service finds too large', async () => {
    const service = createService({
      fault: ({ body = '' }) =>
        body.length > 3000
          ? { status: 429, body: { code: 8, message: 'grpc: received message larger than max (9 vs. 8)' } }
          : undefined,
    });
    const { orgId } = service.server;
    const end = await run(service, bodyOf(orgId, { humanUsers: ids(60).map((id) => human(id)) }), {
      size: { bytes: 8000, jsonBytes: Infinity, most: 5000, seconds: 30 },
    });
    expect(sampleUsers(end)).toMatchObject({ total: 60, created: 60 });
    expect(end.tally.takenApart).toBeGreaterThan(0);
  });

  it('rejects what the service would refuse the whole request for, and what it would crash on', async () => {
    const service = createService();
    const { orgId } = service.server;
    const end = await run(
      service,
      bodyOf(orgId, {
        humanUsers: [
          human('good'),
          human('nameless', { profile: { firstName: 'Ada', lastName: '' } }),
          { userId: 'hollow' },
          human('poison', { hashedPassword: { value: '$2' } }),
          human('wrong', { email: { email: 'a@b.c', isEmailVerified: 'yes' } }),
          7,
          human('fine'),
          human('nul', { userName: 'a\0b' }),
        ],
      }),
    );
    expect(sampleUsers(end)).toEqual({ total: 8, created: 2, existed: 0, failed: 0, rejected: 6 });
    expect([...end.run.troubles].map(([, { code }]) => code)).toEqual([
      'import:field-rule',
      'import:field-rule',
      'import:breaks-service',
      'import:unreadable',
      'import:unreadable',
      'import:field-rule',
    ]);
    expect(end.run.troubles.get(7)?.detail).toBe('humanUsers.0.user.userName has a NUL character');
    expect(end.run.troubles.get(1)?.detail).toContain('LastName: value length must be between 1 and 200');
    expect(JSON.stringify(service.events)).not.toContain('$2a$10$');
  });

  it('takes a refused request apart until the guilty stand alone', async () => {
    const bad = new Set(['u-3', 'u-40', 'u-41', 'u-99']);
    const service = createService({
      fault: ({ body = '' }) =>
        [...bad].some((id) => body.includes(`"${id}"`))
          ? {
              status: 400,
              body: { code: 3, message: 'invalid ImportDataRequest.DataOrgs: some rule of a newer version' },
            }
          : undefined,
    });
    const { orgId } = service.server;
    const end = await run(service, bodyOf(orgId, { humanUsers: ids(100).map((id) => human(id)) }));
    expect(sampleUsers(end)).toEqual({ total: 100, created: 96, existed: 0, failed: 4, rejected: 0 });
    expect([...end.run.troubles].map(([number]) => number)).toEqual([3, 40, 41, 99]);
  });

  it('goes straight to the entry that the refusal names', async () => {
    let refusals = 0;
    const service = createService({
      fault: ({ body = '' }) => {
        const sent = body.startsWith('{"dataOrgs"')
          ? (JSON.parse(body).dataOrgs.orgs[0].humanUsers as { userId: string }[])
          : [];
        const place = sent.findIndex(({ userId }) => userId === 'u-70');
        if (place === -1) return undefined;
        refusals += 1;
        const message =
          'invalid ImportDataRequest.DataOrgs: embedded message failed validation | caused by: invalid ' +
          'ImportDataOrg.Orgs[0]: embedded message failed validation | caused by: invalid DataOrg.HumanUsers' +
          `[${place}]: embedded message failed validation | caused by: invalid X.Y: value is required`;
        return { status: 400, body: { code: 3, message } };
      },
    });
    const { orgId } = service.server;
    const end = await run(service, bodyOf(orgId, { humanUsers: ids(100).map((id) => human(id)) }));
    expect(sampleUsers(end)).toMatchObject({ created: 99, failed: 1 });
    expect(end.run.troubles.get(70)).toMatchObject({ detail: 'invalid X.Y: value is required' });
    expect(refusals).toBe(2);
  });

  it('stops when it is not the entries that are refused', async () => {
    const service = createService({
      fault: ({ url }) =>
        url.endsWith('/import') ? { status: 400, body: { code: 3, message: 'never' } } : undefined,
    });
    const body = bodyOf(service.server.orgId, { humanUsers: ids(200).map((id) => human(id)) });
    await expect(run(service, body)).rejects.toMatchObject({ code: 'import:all-refused' });
  });

  it('tells users who exist from failures', async () => {
    const service = createService();
    const { orgId } = service.server;
    await run(service, bodyOf(orgId, { humanUsers: [human('a'), human('b')] }));
    const again = bodyOf(orgId, {
      humanUsers: [
        human('a'),
        human('c'),
        human('d', { userName: 'USER-B' }),
        human('e', { email: { email: 'no' } }),
      ],
    });
    const end = await run(service, again);
    expect(sampleUsers(end)).toEqual({ total: 4, created: 1, existed: 1, failed: 2, rejected: 0 });
    expect(end.run.troubles.get(2)).toMatchObject({ code: 'import:name-taken' });
    expect(end.run.troubles.get(3)).toMatchObject({ code: 'import:refused', detail: /EMAIL-599BI/ });
    const strict = await run(service, again, { onExisting: 'fail' });
    expect(sampleUsers(strict)).toMatchObject({ created: 0, existed: 0, failed: 4 });
  });

  it('has failed for users whose ids are taken and who are not in the organization', async () => {
    const service = createService();
    const { orgId } = service.server;
    const elsewhere = ids(40);
    await run(service, bodyOf('4711', { humanUsers: elsewhere.map((id) => human(id)) }), {
      createOrgs: ['Elsewhere'],
    });
    await run(service, bodyOf(orgId, { humanUsers: [human('here')] }));
    const all = ['here', ...elsewhere, 'new'];
    const named = (id: string) => human(id, { userName: `other-${id}` });
    const end = await run(service, bodyOf(orgId, { humanUsers: all.map(named) }));
    expect(sampleUsers(end)).toMatchObject({ created: 1, existed: 1, failed: 40 });
    expect([...end.tally.reasons]).toEqual([['import:id-taken', 40]]);
  });

  it('has failed for users of a deleted organization, whose ids stay taken, and gives new ids where asked', async () => {
    const service = createService();
    const { orgId } = service.server;
    // Ada's second factor is refused with her: she did not arrive without it.
    const users = ['ada', 'ben'].map((id) => human(id, { otpCode: 'JBSWY3DPEHPK3PXP' }));
    await run(service, bodyOf('rehearsal', { humanUsers: users }), { createOrgs: ['Rehearsal'] });
    await service.server.call('DELETE /management/v1/orgs/me', undefined, { orgId: 'rehearsal' });
    const body = bodyOf(orgId, {
      humanUsers: [...users, human('cyn')],
      machineUsers: [{ userId: 'bot', user: { userName: 'bot', name: 'Bot' } }],
      userMetadata: [
        { id: 'ada', key: 'k', value: 'QQ==' },
        { id: 'bot', key: 'k', value: 'Qg==' },
      ],
    });
    const kept = await run(service, body);
    expect(sampleUsers(kept)).toMatchObject({ created: 1, existed: 0, failed: 2 });
    expect([...kept.tally.reasons]).toContainEqual(['import:id-taken', 2]);
    expect(kept.tally.reasons.has('import:second-factor')).toBe(false);

    await service.server.call('DELETE /management/v1/users/cyn', undefined, { orgId });
    await service.server.call('DELETE /management/v1/users/bot', undefined, { orgId });
    const end = await run(service, body, { ids: 'new' });
    expect(sampleUsers(end)).toMatchObject({ created: 3, existed: 0, failed: 0 });
    expect(end.tally.lists.get('userMetadata')).toMatchObject({ created: 2, failed: 0 });
    const idMap = openOutput('ids.csv', { cwd: folder, stdout: process.stdout });
    await writeOutputs(end, { idMap });
    const rows = readFileSync(join(folder, 'ids.csv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    expect(rows.map(([old, , state]) => [old, state])).toEqual(
      ['ada', 'ben', 'cyn', 'bot'].map((id) => [id, 'created']),
    );
    const newIds = rows.map(([, id = '']) => id);
    expect(await usersOf(service.server, orgId)).toEqual(expect.arrayContaining(newIds));
    expect(newIds.every((id) => /^9\d{17}$/.test(id))).toBe(true);
  });

  it('gives the same new ids when it is resumed, and in an incremental run', async () => {
    const service = createService({ fault: loseFirstImport() });
    const { orgId } = service.server;
    const body = bodyOf(orgId, { humanUsers: [human('a'), human('b')] });
    const first = await run(service, body, { ids: 'new' });
    expect(sampleUsers(first)).toMatchObject({ created: 2, failed: 0 });
    const since = [join(folder, journalName)];
    const journal = { path: join(folder, 'second.journal'), resume: false };
    const changed = bodyOf(orgId, { humanUsers: [human('a'), human('b', { userName: 'bea' })] });
    const second = await run(service, changed, { ids: 'new', since, journal });
    expect(sampleUsers(second)).toMatchObject({ unchanged: 1, created: 1, failed: 0 });
    const named = (await usersOf(service.server, orgId)).filter((id) => /^9\d{17}$/.test(id));
    expect(named).toHaveLength(2);
  });

  it('counts two of the same id as one user and one mistake, also in different requests', async () => {
    const service = createService();
    const { orgId } = service.server;
    const twins = [
      human('a'),
      human('a', { userName: 'other' }),
      ...ids(150).map((id) => human(id)),
      human('u-7'),
    ];
    const end = await run(service, bodyOf(orgId, { humanUsers: twins }));
    expect(sampleUsers(end)).toEqual({ total: 153, created: 151, existed: 0, failed: 2, rejected: 0 });
    expect([...end.run.troubles].map(([number, { code }]) => [number, code])).toEqual([
      [1, 'user-skipped:duplicate-id'],
      [152, 'user-skipped:duplicate-id'],
    ]);
  });

  it('says which second factor was refused, of users who arrived', async () => {
    const service = createService();
    const { orgId } = service.server;
    const codes = Array.from({ length: 11 }, (_, i) => ({ raw: `code-${i}` }));
    const end = await run(service, bodyOf(orgId, { humanUsers: [human('a', { recoveryCodes: codes })] }));
    expect(sampleUsers(end)).toMatchObject({ created: 1, failed: 0 });
    expect(end.run.troubles.get(0)).toMatchObject({ outcome: 'noted', code: 'import:second-factor' });
  });

  it('gives machine users their own ids, though exports leave them out', async () => {
    const service = createService();
    const { orgId } = service.server;
    const machineUsers = [{ userId: 'robot', user: { userName: 'robot', name: 'Robot' } }];
    await run(
      service,
      bodyOf(orgId, { machineUsers, orgMembers: [{ userId: 'robot', roles: ['ORG_OWNER'] }] }),
    );
    expect(await usersOf(service.server, orgId)).toContain('robot');
  });

  it('calls a machine user who is there already existed', async () => {
    const service = createService();
    const { orgId } = service.server;
    const machineUsers = [{ userId: 'robot', user: { userName: 'robot', name: 'Robot' } }];
    await run(service, bodyOf(orgId, { machineUsers }));
    const again = await run(service, bodyOf(orgId, { machineUsers }));
    expect(again.tally.lists.get('machineUsers')).toMatchObject({
      total: 1,
      created: 0,
      existed: 1,
      failed: 0,
    });
  });

  it('of users without ids looks up by name where the report cannot tell them apart', async () => {
    const service = createService();
    const { orgId } = service.server;
    const nameless = (name: string) => ({ ...human(name), userId: undefined });
    await run(service, bodyOf(orgId, { humanUsers: [human('b')] }));
    await service.server.clock.advance(5000);
    const end = await run(service, bodyOf(orgId, { humanUsers: ['a', 'b', 'c'].map(nameless) }));
    expect(sampleUsers(end)).toMatchObject({ total: 3, created: 2, existed: 1 });
  });
});

describe('the organization', () => {
  it('that is missing is an error before anything is sent', async () => {
    const service = createService();
    const body = bodyOf('4711', { humanUsers: [human('a')] });
    await expect(run(service, body)).rejects.toThrow(/no organization 4711/);
    expect(service.requests.filter((request) => request.includes('import'))).toEqual([]);
  });

  it.each(['nobody', 'orgOwner'] as const)(
    'is not called missing for a token that may not look: %s hears which role is needed, and where',
    async (role) => {
      const server = createTestServer();
      const credentials = fixedToken(server.tokens[role]);
      const service = createService({ server, client: { credentials } });
      for (const orgs of [1, 30]) {
        const orgIds = [server.orgId, ...Array.from({ length: orgs - 1 }, (_, i) => `${i}`)];
        const body = JSON.stringify({ dataOrgs: { orgs: orgIds.map((orgId) => ({ orgId })) } });
        await expect(run(service, body)).rejects.toMatchObject({
          name: 'ApiError',
          hint: /iam\.write: give it the role IAM_OWNER in the default settings of the instance/,
        });
      }
    },
  );

  it('is created where that is asked for, or where the body has its name', async () => {
    const service = createService();
    const asked = await run(service, bodyOf('4711', { humanUsers: [human('a')] }), { createOrgs: ['Acme'] });
    expect(sampleUsers(asked)).toMatchObject({ created: 1 });
    const named = bodyOf('4712', { org: { name: 'Globex' }, humanUsers: [human('b')] });
    const end = await run(service, named, { journal: { path: join(folder, 'named'), resume: false } });
    expect(sampleUsers(end)).toMatchObject({ created: 1 });
    const { body } = await service.server.call('GET /admin/v1/orgs/4711');
    expect(body.org.name).toBe('Acme');
  });

  const acme = { org: { name: 'Acme' }, humanUsers: [human('a')] };
  const orgsOf = (end: ImportEnd): ListTally | undefined => end.tally.lists.get('org');
  const created = { total: 1, created: 1, existed: 0, failed: 0, rejected: 0 };
  const existed = { ...created, created: 0, existed: 1 };

  it('counts as created only where this run has created it', async () => {
    const service = createService();
    expect(orgsOf(await run(service, bodyOf('4711', acme)))).toEqual(created);
    const next = bodyOf('4711', { ...acme, humanUsers: [human('b')] });
    const again = await run(service, next, { onExisting: 'fail' });
    expect(orgsOf(again)).toEqual(existed);
    expect(sampleUsers(again)).toMatchObject({ created: 1, failed: 0 });
  });

  it.each([
    ['created', '4711', created],
    ['already existed', undefined, existed],
  ])('that %s is told as that also where the first answer is lost', async (_, missing, counts) => {
    const service = createService({ fault: loseFirstImport() });
    const orgId = missing ?? service.server.orgId;
    await service.server.clock.advance(5000);
    expect(orgsOf(await run(service, bodyOf(orgId, acme)))).toEqual(counts);
  });

  it('that is still to be created has no user, when the answer of the first request is lost', async () => {
    const service = createService({ fault: loseFirstImport('reset') });
    const end = await run(service, bodyOf('4711', acme));
    expect([orgsOf(end), sampleUsers(end)]).toMatchObject([created, created]);
  });

  it('whose name another one has ends the run also where the list does not show that one yet', async () => {
    const service = createService({
      fault: ({ url }) =>
        url.endsWith('/admin/v1/orgs/_search') ? { status: 200, body: { result: [] } } : undefined,
    });
    await run(service, bodyOf('4711', acme));
    await expect(run(service, bodyOf('4712', acme))).rejects.toMatchObject({
      code: 'import:org-refused',
      message: /organization 4712.*V3-DKcYh/,
    });
  });

  it('may be one of several, each named by its id', async () => {
    const service = createService();
    const orgs = ['1', '2', '3'].map((orgId) => ({ orgId, humanUsers: [human(`in-${orgId}`)] }));
    const body = JSON.stringify({ dataOrgs: { orgs: [...orgs, { orgId: service.server.orgId }] } });
    await expect(run(service, body, { createOrgs: ['Acme'] })).rejects.toThrow(/4 organizations/);
    await expect(run(service, body, { createOrgs: ['1=A', '3=C'] })).rejects.toThrow(/no organization 2/);
    const end = await run(service, body, { createOrgs: ['1=A', '2=B', '3=C'] });
    expect(sampleUsers(end)).toMatchObject({ created: 3 });
  });
});

describe('whatever happens to a request', () => {
  const faults: [string, Fault][] = [
    ['reset before the service sees it', 'reset'],
    ['lost after the service has done it', 'lost'],
    ['broken off in the middle of the answer', 'half'],
    ['timed out', { status: 500, body: { code: 2, message: 'context deadline exceeded ()' }, done: true }],
    ['500 before', { status: 500 }],
    ['502 after', { status: 502, body: '<html>Bad Gateway</html>', done: true }],
    ['503', { status: 503 }],
    ['504 after', { status: 504, done: true }],
    ['429', { status: 429, body: 'slow down' }],
    ['an answer without sense', { status: 200, body: '<html>', done: true }],
  ];
  it.each(faults)('(%s), at whatever place, every user is accounted for, once', async (_, fault) => {
    const quiet = createService();
    const everything = (orgId: string): string =>
      bodyOf(orgId, {
        humanUsers: ids(30).map((id) => human(id, id === 'u-9' ? { otpCode: 'JBSWY3DPEHPK3PXP' } : {})),
        userMetadata: ids(30).map((id) => ({ id, key: 'k', value: 'dg==' })),
        projects: [{ projectId: 'p1', project: { name: 'Portal' } }],
        projectRoles: [{ projectId: 'p1', roleKey: 'reader', displayName: 'Reader' }],
        userGrants: ids(5).map((userId) => ({ userId, projectId: 'p1', roleKeys: ['reader'] })),
      });
    const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 12, seconds: 30 };
    const journal = { path: join(mkdtempSync(join(folder, 'quiet-')), 'quiet.journal'), resume: false };
    await run(quiet, everything(quiet.server.orgId), { size, journal });
    const places = quiet.requests.length;
    expect(places).toBeGreaterThan(5);
    for (let place = 0; place < places; place++) {
      const service = createService({ fault: (_, number) => (number === place ? fault : undefined) });
      const end = await run(service, everything(service.server.orgId), {
        size,
        journal: { path: join(folder, `at-${place}`), resume: false },
      });
      for (const [list, { total, created }] of end.tally.lists) {
        expect({ place, list, created }).toEqual({ place, list, created: total });
      }
      const users = await usersOf(service.server, service.server.orgId);
      expect(users.filter((id) => id.startsWith('u-'))).toHaveLength(30);
    }
  });

  it('a service that takes less time than it needs still ends with every user', async () => {
    const server = createTestServer({ secondsPerUser: 0.5 });
    const service = createService({ server });
    const end = await run(service, bodyOf(server.orgId, { humanUsers: ids(300).map((id) => human(id)) }), {
      timeout: '20s',
    });
    expect(sampleUsers(end)).toMatchObject({ total: 300, created: 300 });
    expect(end.tally.lookedUp).toBeGreaterThan(0);
  });

  it('a service that never answers is given up, with the journal kept', async () => {
    const service = createService({ fault: ({ url }) => (url.endsWith('/import') ? 'reset' : undefined) });
    const body = bodyOf(service.server.orgId, { humanUsers: ids(40).map((id) => human(id)) });
    await expect(run(service, body)).rejects.toMatchObject({ name: 'ApiError', done: 'unknown' });
    const healthy = createService({ server: service.server });
    const end = await run(healthy, body, {
      journal: { path: join(folder, 'importBody.json.journal'), resume: true },
    });
    expect(sampleUsers(end)).toMatchObject({ total: 40, created: 40 });
  });
});
