/** The second pass of a bulk import: only who is new or has changed, whatever happens on the way. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportEnd, ImportRequest } from '../../../src/flows/import/import.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, human, journalName, runImport } from '../../support/import-run.ts';
import { createService, type Fault, type Service } from '../../support/service.ts';

let folder: string;
beforeEach(() => {
  folder = createTestFolder();
});

const firstJournal = (): string => join(folder, 'first.journal');

/** The first pass, with its journal kept under another name. */
async function firstPass(service: Service, body: string): Promise<void> {
  await runImport(service, folder, body, { journal: { path: firstJournal(), resume: false } });
  await service.server.clock.advance(60_000);
}

const secondPass = (
  service: Service,
  body: string,
  overrides: Partial<ImportRequest> = {},
): Promise<ImportEnd> => runImport(service, folder, body, { since: [firstJournal()], ...overrides });

const userOf = ({ server }: Service, id: string) => server.state.store.users.get(id);
const sampleUsers = ({ tally }: ImportEnd) => tally.lists.get('humanUsers');
const noticeOf = ({ events }: Service, code: string): string | undefined =>
  events.flatMap((event) => (event.type === 'notice' && event.code === code ? [event.text] : []))[0];

const bob = (firstName: string) => human('bob', { profile: { firstName, lastName: 'bob' } });

describe('a second pass', () => {
  it('sends who is new, replaces who changed, leaves the others, and tells who vanished', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    const metadata = (...names: string[]) => names.map((id) => ({ id, key: 'k', value: 'dg==' }));
    await firstPass(
      service,
      bodyOf(orgId, {
        humanUsers: [human('ann'), bob('Bob'), human('cyd')],
        userMetadata: metadata('ann', 'bob', 'cyd'),
      }),
    );
    const [ann, before] = [userOf(service, 'ann'), userOf(service, 'bob')];
    const end = await secondPass(
      service,
      bodyOf(orgId, {
        humanUsers: [human('ann'), bob('Robert'), human('dan')],
        userMetadata: metadata('ann', 'bob', 'dan'),
      }),
    );
    expect(sampleUsers(end)).toEqual({
      total: 3,
      created: 2,
      existed: 0,
      failed: 0,
      rejected: 0,
      unchanged: 1,
    });
    expect(userOf(service, 'ann')).toBe(ann);
    expect(userOf(service, 'bob')).toMatchObject({ firstName: 'Robert' });
    expect(userOf(service, 'bob')).not.toBe(before);
    expect(userOf(service, 'dan')).toBeDefined();
    expect(userOf(service, 'cyd')).toBeDefined();
    expect(noticeOf(service, 'delta:vanished')).toMatch(/^1 user of the previous run is not in .*: cyd\./);
    // What belonged to the user as they were is there again.
    const { body } = await service.server.call(
      'POST /management/v1/users/bob/metadata/_search',
      {},
      { orgId },
    );
    expect(body.result).toMatchObject([{ key: 'k', value: 'dg==' }]);
  });

  it('replaces who has changed in nothing but a list beside the users', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    const humanUsers = [human('ann'), bob('Bob')];
    const entry = (id: string, key: string) => ({ id, key, value: 'dg==' });
    const keysOf = (id: string): string[] => Object.keys(userOf(service, id)?.more?.metadata ?? {});
    const first = [entry('ann', 'k'), entry('bob', 'k'), entry('bob', 'l')];
    await firstPass(service, bodyOf(orgId, { humanUsers, userMetadata: first }));
    const [ann, before] = [userOf(service, 'ann'), userOf(service, 'bob')];
    expect(keysOf('bob')).toEqual(['k', 'l']);

    const second = [entry('bob', 'k'), entry('ann', 'k')];
    const end = await secondPass(service, bodyOf(orgId, { humanUsers, userMetadata: second }));
    expect(sampleUsers(end)).toMatchObject({ total: 2, created: 1, unchanged: 1 });
    expect(userOf(service, 'ann')!.created).toBe(ann!.created);
    expect(userOf(service, 'bob')!.created).not.toBe(before!.created);
    expect(keysOf('bob')).toEqual(['k']);
  });

  it('compares contents, not how they are written', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    await firstPass(service, bodyOf(orgId, { humanUsers: [human('ann', { nothingKnown: 1 })] }));
    const { user, userId } = human('ann') as { user: Record<string, unknown>; userId: string };
    const { userName: user_name, profile, ...rest } = user;
    const turned = JSON.stringify(
      {
        data_orgs: {
          orgs: [
            { org_id: orgId, human_users: [{ user: { ...rest, profile, user_name }, user_id: userId }] },
          ],
        },
      },
      null,
      2,
    );
    expect(sampleUsers(await secondPass(service, turned))).toMatchObject({
      total: 1,
      created: 0,
      unchanged: 1,
    });
  });

  it('never deletes who was there before the first one', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    await service.server.call(
      'POST /admin/v1/import',
      JSON.parse(bodyOf(orgId, { humanUsers: [bob('Old')] })),
    );
    await service.server.clock.advance(60_000);
    await firstPass(service, bodyOf(orgId, { humanUsers: [bob('Bob')] }));
    const end = await secondPass(service, bodyOf(orgId, { humanUsers: [bob('Robert')] }));
    expect(sampleUsers(end)).toMatchObject({ total: 1, existed: 1 });
    expect(userOf(service, 'bob')).toMatchObject({ firstName: 'Old' });
    expect(service.requests.filter((request) => request.startsWith('DELETE'))).toEqual([]);
  });

  it('may follow several others', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    const body = bodyOf(orgId, { humanUsers: [human('ann'), bob('Robert')] });
    await firstPass(service, bodyOf(orgId, { humanUsers: [human('ann'), bob('Bob')] }));
    await secondPass(service, body);
    copyFileSync(join(folder, journalName), join(folder, 'second.journal'));
    const end = await secondPass(service, body, { since: [firstJournal(), join(folder, 'second.journal')] });
    expect(sampleUsers(end)).toMatchObject({ total: 2, created: 0, existed: 0, unchanged: 2 });
  });

  it('knows users without ids by their names', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    const nameless = (firstName: string) => ({ user: (bob(firstName) as { user: object }).user });
    await firstPass(service, bodyOf(orgId, { humanUsers: [nameless('Bob')] }));
    expect(
      sampleUsers(await secondPass(service, bodyOf(orgId, { humanUsers: [nameless('Bob')] }))),
    ).toMatchObject({
      unchanged: 1,
    });
    const path = join(folder, 'third.journal');
    const end = await secondPass(service, bodyOf(orgId, { humanUsers: [nameless('Robert')] }), {
      journal: { path, resume: false },
      since: [firstJournal(), join(folder, journalName)],
    });
    expect(sampleUsers(end)).toMatchObject({ created: 1 });
    const bobs = [...service.server.state.store.users.values()].filter(
      ({ userName }) => userName === 'user-bob',
    );
    expect(bobs).toMatchObject([{ firstName: 'Robert' }]);
  });

  it('keeps no password in plain text in its fingerprints', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    const withPassword = (password: string) => human('ann', { password, hashedPassword: undefined });
    await firstPass(service, bodyOf(orgId, { humanUsers: [withPassword('Secret-1234')] }));
    const end = await secondPass(service, bodyOf(orgId, { humanUsers: [withPassword('Other-5678')] }));
    expect(sampleUsers(end)).toMatchObject({ unchanged: 1 });
    expect(readFileSync(firstJournal(), 'utf8')).not.toContain('Secret');
  });

  it.each([
    [
      'another verb',
      (text: string) => text.replace('"verb":"import"', '"verb":"import-users"'),
      /not of import/,
    ],
    [
      'another address',
      (text: string) => text.replace('http://localhost', 'http://other'),
      /it is about http:\/\/other/,
    ],
    [
      'another organization',
      (text: string) => text.replace(/"orgs":\["\d+"\]/, '"orgs":["7"]'),
      /it is about organization 7/,
    ],
  ])('of a journal of %s is refused', async (_, change, message) => {
    const service = createService();
    const body = bodyOf(service.server.orgId, { humanUsers: [human('ann')] });
    await firstPass(service, body);
    writeFileSync(firstJournal(), change(readFileSync(firstJournal(), 'utf8')));
    await expect(secondPass(service, body)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });

  const faults: [string, Fault][] = [
    ['reset before the service sees it', 'reset'],
    ['lost after the service has done it', 'lost'],
    ['timed out', { status: 500, body: { code: 2, message: 'context deadline exceeded ()' }, done: true }],
    ['429', { status: 429, body: 'slow down' }],
  ];
  it.each(faults)('ends well when any one request is %s', async (_, fault) => {
    const names = Array.from({ length: 12 }, (_, i) => `u-${i}`);
    const humans = (firstName: string) =>
      names.map((id, i) => (i % 2 === 0 ? human(id) : human(id, { profile: { firstName, lastName: id } })));
    const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 5, seconds: 30 };
    for (let place = 0, places = 1; place < places; place++) {
      let number = -1;
      const service = createService({ fault: () => (number >= 0 && number++ === place ? fault : undefined) });
      folder = createTestFolder();
      await firstPass(service, bodyOf(service.server.orgId, { humanUsers: humans('Ada') }));
      number = 0;
      const end = await secondPass(service, bodyOf(service.server.orgId, { humanUsers: humans('Eva') }), {
        size,
      });
      places = number;
      expect([place, sampleUsers(end)]).toMatchObject([
        place,
        { total: 12, created: 6, unchanged: 6, failed: 0 },
      ]);
      expect(names.map((id) => userOf(service, id)?.firstName)).toEqual(
        names.map((_, i) => (i % 2 === 0 ? 'Ada' : 'Eva')),
      );
    }
  });

  it('goes on after a stop at any request', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `u-${i}`);
    const humans = (firstName: string) =>
      names.map((id) => human(id, { profile: { firstName, lastName: id } }));
    const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 5, seconds: 30 };
    for (let budget = 1, done = false; !done; budget++) {
      folder = createTestFolder();
      const service = createService();
      const orgId = service.server.orgId;
      await firstPass(service, bodyOf(orgId, { humanUsers: humans('Ada') }));
      const limited = createService({ server: service.server, client: { budget } });
      const body = bodyOf(orgId, { humanUsers: humans('Eva') });
      done = await secondPass(limited, body, { size }).then(
        () => true,
        () => false,
      );
      if (done) break;
      const path = join(folder, journalName);
      const journal = { path, resume: existsSync(path) };
      expect(sampleUsers(await secondPass(service, body, { size, journal }))).toMatchObject({
        total: 12,
        created: 12,
      });
      expect(names.map((id) => userOf(service, id)?.firstName)).toEqual(names.map(() => 'Eva'));
    }
  });

  it('says of a user who was taken away and then refused that they are already deleted', async () => {
    const service = createService();
    const orgId = service.server.orgId;
    await firstPass(service, bodyOf(orgId, { humanUsers: [bob('Bob')] }));
    const refused = human('bob', { hashedPassword: { value: '$2a$04$tooCheap' } });
    const end = await secondPass(service, bodyOf(orgId, { humanUsers: [refused] }));
    expect(sampleUsers(end)).toMatchObject({ failed: 1 });
    expect(userOf(service, 'bob')).toBeUndefined();
    const told = service.events.find((event) => event.type === 'record:rejected');
    expect(told).toMatchObject({ detail: /deleted.*already deleted/ });
  });
});
