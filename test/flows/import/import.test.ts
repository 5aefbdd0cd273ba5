import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { ImportRequest } from '../../../src/flows/import/run.ts';
import { textsOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  countsOf,
  inRequestsOf,
  journalName,
  runImport,
  createService,
  type Fault,
  type Service,
} from '../../support/service.ts';
import { bodyOf, sampleUser, userNames } from '../../support/users-run.ts';
import { createTestServer } from '../../support/full-server.ts';

let folder: string;
beforeEach(() => {
  folder = createTestFolder();
});

/** A whole body, or the users of the organization of the service. */
function run(service: Service, body: string | readonly unknown[], overrides: Partial<ImportRequest> = {}) {
  const text = typeof body === 'string' ? body : bodyOf(service.server.orgId, body);
  return runImport(service, folder, text, overrides);
}

const usersOf = ({ server: { state, orgId } }: Service) =>
  [...state.store.users.values()].filter((user) => user.orgId === orgId).map(({ id }) => id);

/** By default the service does what the first import asks for, and its answer never arrives. */
function loseFirstImport(how: Fault = 'lost'): (request: ApiRequest) => Fault | undefined {
  let lost = false;
  return ({ url }) => {
    if (lost || !url.endsWith('/import')) return undefined;
    lost = true;
    return how;
  };
}

const refusal = (message: string): Fault => ({ status: 400, body: { code: 3, message } });
/** By their place in the list. */
const rejectionsOf = ({ events }: Service) => {
  const rejected = events.filter((event) => event.type === 'record:rejected');
  return new Map(rejected.map(({ place, code, detail }) => [place.index, { code, detail }]));
};

describe('runImport', () => {
  it('sends message texts per organization with the organization header', async () => {
    const named: unknown[] = [];
    const service = createService({
      fault: ({ url, headers, body = '' }) => {
        if (!url.endsWith('/import')) return undefined;
        named.push([headers['x-zitadel-orgid'], body.includes('Welcome'), body.includes('humanUsers')]);
        return undefined;
      },
    });
    const { orgId } = service.server;
    const initMessages = [{ language: 'en', title: 'Hello', subject: 'Welcome', text: 'Come in' }];
    const orgs = [
      { orgId, humanUsers: [sampleUser('a')], initMessages },
      { orgId: '200', org: { name: 'Globex' }, humanUsers: [sampleUser('b')], initMessages },
    ];
    const end = await run(service, JSON.stringify({ dataOrgs: { orgs } }));
    expect(countsOf(end, 'initMessages')).toMatchObject({ read: 2, written: 2 });
    expect(named).toEqual([
      [undefined, false, false],
      [orgId, true, false],
      ['200', true, false],
      [undefined, false, true],
    ]);
  });

  it('cuts requests by size and splits those that the service finds too large', async () => {
    const message = 'grpc: received message larger than max (9 vs. 8)';
    const tooLarge: Fault = { status: 429, body: { code: 8, message } };
    const fault = vi.fn(({ body = '' }: ApiRequest) => (body.length > 3000 ? tooLarge : undefined));
    const service = createService({ fault });
    const size = { ...inRequestsOf(5000), bytes: 8000 };
    const end = await run(service, userNames(60), { size });
    expect(countsOf(end)).toMatchObject({ read: 60, written: 60 });
    expect(fault).toHaveReturnedWith(tooLarge);
  });

  it('bisects a refused request down to the faulty entries', async () => {
    const bad = ['user-3', 'user-40', 'user-41', 'user-99'];
    const refused = refusal('invalid ImportDataRequest.DataOrgs: some rule of a newer version');
    const service = createService({
      fault: ({ body = '' }) => (bad.some((name) => body.includes(`"${name}"`)) ? refused : undefined),
    });
    const end = await run(service, userNames(100));
    expect(countsOf(end)).toEqual({ read: 100, written: 96, rejected: 4, skipped: 0 });
    expect([...rejectionsOf(service).keys()]).toEqual([3, 40, 41, 99]);
  });

  it('removes exactly the entry that the refusal names', async () => {
    let refusals = 0;
    const service = createService({
      fault: ({ body = '' }) => {
        if (!body.includes('"old-user-70"')) return undefined;
        refusals += 1;
        const sent = JSON.parse(body).dataOrgs.orgs[0].humanUsers as { userId: string }[];
        const place = sent.findIndex(({ userId }) => userId === 'old-user-70');
        const failed = 'embedded message failed validation | caused by: invalid';
        return refusal(
          `invalid ImportDataRequest.DataOrgs: ${failed} ImportDataOrg.Orgs[0]: ${failed} DataOrg.HumanUsers` +
            `[${place}]: ${failed} X.Y: value is required`,
        );
      },
    });
    const end = await run(service, userNames(100));
    expect(countsOf(end)).toMatchObject({ written: 99, rejected: 1 });
    expect(rejectionsOf(service).get(70)).toMatchObject({ detail: 'invalid X.Y: value is required' });
    expect(refusals).toBe(2);
  });

  it('stops if every entry is refused', async () => {
    const fault = ({ url }: ApiRequest) => (url.endsWith('/import') ? refusal('never') : undefined);
    await expect(run(createService({ fault }), userNames(200))).rejects.toMatchObject({
      code: 'import:all-refused',
    });
  });

  it('rejects ids kept by a deleted organization, and creates new ids on request', async () => {
    const service = createService();
    const { orgId } = service.server;
    // Ada's second factor is refused with her: she did not arrive without it.
    const users = ['ada', 'ben'].map((name) => sampleUser(name, { otpCode: 'JBSWY3DPEHPK3PXP' }));
    await run(service, bodyOf('rehearsal', users), { createOrgs: ['Rehearsal'] });
    await service.server.call('DELETE /management/v1/orgs/me', undefined, { orgId: 'rehearsal' });
    const machineUsers = [{ userId: 'robot', user: { userName: 'robot', name: 'Robot' } }];
    const userMetadata = ['old-ada', 'robot'].map((id) => ({ id, key: 'k', value: 'QQ==' }));
    const body = bodyOf(orgId, [...users, 'cyn'], { machineUsers, userMetadata });
    const kept = await run(service, body);
    expect(countsOf(kept)).toMatchObject({ written: 2, rejected: 2, skipped: 0 });
    expect([...kept.tally.reasons]).toContainEqual(['import:id-taken', 2]);
    expect(kept.tally.reasons.has('import:second-factor')).toBe(false);

    for (const id of ['old-cyn', 'robot'])
      await service.server.call(`DELETE /management/v1/users/${id}`, undefined, { orgId });
    const idMapPath = join(folder, 'ids.csv');
    const end = await run(service, body, { ids: 'new', idMapPath });
    expect(countsOf(end)).toMatchObject({ written: 4, rejected: 0, skipped: 0 });
    expect(countsOf(end, 'userMetadata')).toMatchObject({ written: 2, rejected: 0 });
    const [, ...lines] = readFileSync(idMapPath, 'utf8').trim().split('\n');
    const rows = lines.map((line) => line.split(','));
    const oldIds = ['old-ada', 'old-ben', 'old-cyn', 'robot'];
    expect(rows).toEqual(oldIds.map((id) => [id, /^9\d{17}$/, 'created']));
    expect(usersOf(service)).toEqual(expect.arrayContaining(rows.map(([, id]) => id)));
  });

  it('creates the same new ids when resumed and in an incremental run', async () => {
    const service = createService({ fault: loseFirstImport() });
    const first = await run(service, ['a', 'b'], { ids: 'new' });
    expect(countsOf(first)).toMatchObject({ written: 2, rejected: 0 });
    const since = [join(folder, journalName)];
    const journal = { path: join(folder, 'second.journal'), resume: false };
    const users = ['a', sampleUser('b', { userName: 'bea' })];
    const second = await run(service, users, { ids: 'new', since, journal });
    expect(countsOf(second)).toMatchObject({ written: 1, rejected: 0, unchanged: 1 });
    expect(usersOf(service).filter((id) => /^9\d{17}$/.test(id))).toHaveLength(2);
  });

  it.each<Fault>(['reset', 'lost', 'half'])(
    'writes recovery codes once if an answer is lost (%s)',
    async (how) => {
      const service = createService({ fault: loseFirstImport(how) });
      // As many as a user may have: a second set would be refused.
      const recoveryCodes = userNames(10).map((raw) => ({ raw }));
      await run(
        service,
        ['a', 'b', 'c'].map((name) => sampleUser(name, { recoveryCodes })),
      );
      const { users } = service.server.state.store;
      const codes = ['a', 'b', 'c'].map((name) => users.get(`old-${name}`)?.recoveryCodes?.length);
      expect(codes).toEqual([10, 10, 10]);
    },
  );

  it('looks up users without ids by name if the answer is ambiguous', async () => {
    const service = createService();
    await run(service, ['b']);
    await service.server.clock.advance(5000);
    // The service stores no second factor of a user without an id.
    const more = { otpCode: 'JBSWY3DPEHPK3PXP', email: { email: 'a@example.com', isEmailVerified: true } };
    const users = ['a', 'b', 'c', 'A', 'D'].map((name) => sampleUser(name, more, { userId: undefined }));
    const end = await run(service, ['d', ...users, 'C']);
    expect(countsOf(end)).toMatchObject({ read: 7, written: 3, skipped: 1, rejected: 3 });
    expect(end.tally.otp).toBe(0);
    expect(end.tally.reasons.get('user-skipped:duplicate-username')).toBe(3);
  });
});

const acme = (id: string) => bodyOf(id, ['a'], { org: { name: 'Acme' } });
const created = { read: 1, written: 1, rejected: 0, skipped: 0 };
const existed = { ...created, written: 0, skipped: 1 };

it.each([
  ['created', '4711', 'lost', created],
  ['already existed', undefined, 'lost', existed],
  ['still to be created', '4711', 'reset', created],
] as const)(
  'runImport into an organization counts it as %s although the first answer is lost',
  async (_, id, how, counts) => {
    const service = createService({ fault: loseFirstImport(how) });
    await service.server.clock.advance(5000);
    const end = await run(service, acme(id ?? service.server.orgId));
    expect([countsOf(end, 'org'), countsOf(end)]).toEqual([counts, created]);
  },
);

it('runImport into an organization stops if another organization has its name, even one the list does not show yet', async () => {
  const service = createService({
    fault: ({ url }) =>
      url.endsWith('/admin/v1/orgs/_search') ? { status: 200, body: { result: [] } } : undefined,
  });
  await run(service, acme('4711'));
  await expect(run(service, acme('4712'))).rejects.toMatchObject({
    code: 'import:org-refused',
    message: /organization 4712.*V3-DKcYh/,
  });
});

it('runImport imports every user although each request needs more than the timeout', async () => {
  const service = createService({ server: createTestServer({ secondsPerUser: 0.5 }) });
  const end = await run(service, userNames(300), { timeout: '20s' });
  expect(countsOf(end)).toMatchObject({ read: 300, written: 300 });
  expect(textsOf(service, 'import:looking-up')).not.toEqual([]);
});
