/** The second pass of a bulk import: only new and changed users, also after failures. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { codesOf, textsOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createTestServer } from '../../support/full-server.ts';
import { countsOf, journalName, runImport, createService, type Service } from '../../support/service.ts';
import { bodyOf, called } from '../../support/users-run.ts';

let folder: string;
let service: Service;
beforeEach(() => {
  folder = createTestFolder();
  service = createService();
});

const firstJournal = () => join(folder, 'first.journal');
const textOf = (users: readonly unknown[], lists?: object) => bodyOf(service.server.orgId, users, lists);

/** The first pass, with its journal kept under another name. */
const firstPass = (users: readonly unknown[], lists?: object) =>
  runImport(service, folder, textOf(users, lists), { journal: { path: firstJournal(), resume: false } });

const secondPass = (users: readonly unknown[], lists?: object, since = [firstJournal()]) =>
  runImport(service, folder, textOf(users, lists), { since });

const userOf = (name: string) => service.server.state.store.users.get(`old-${name}`);
const keysOf = (name: string) => Object.keys(userOf(name)?.metadata ?? {});
const metadata = (...entries: [name: string, key: string][]) => ({
  userMetadata: entries.map(([name, key]) => ({ id: `old-${name}`, key, value: 'dg==' })),
});

it.each([0, 5000, 120_000])(
  'an incremental import creates new users, replaces changed ones, keeps the rest, and names vanished ones, lists %i ms behind',
  async (lag) => {
    service = createService({ server: createTestServer({}, { lag }) });
    const lists = metadata(['ann', 'k'], ['bob', 'k'], ['cyd', 'k']);
    await firstPass(['ann', called('bob', 'Bob'), 'cyd'], lists);
    const [ann, before] = [userOf('ann'), userOf('bob')];
    expect(codesOf(service)).not.toContain('list:behind');
    const end = await secondPass(
      ['ann', called('bob', 'Robert'), 'dan'],
      metadata(['ann', 'k'], ['bob', 'k'], ['dan', 'k']),
    );
    expect(codesOf(service).includes('list:behind')).toBe(lag > 0);
    expect(countsOf(end)).toEqual({ read: 3, written: 2, rejected: 0, skipped: 1, unchanged: 1 });
    expect(userOf('ann')).toBe(ann);
    expect(userOf('bob')).toMatchObject({ firstName: 'Robert' });
    expect(userOf('bob')).not.toBe(before);
    expect([userOf('dan'), userOf('cyd')]).not.toContain(undefined);
    const [vanished] = textsOf(service, 'delta:vanished');
    expect(vanished).toMatch(
      /^1 user of the previous run is no longer in the source, or left out now: old-cyd cyd\./,
    );
    // What belonged to the user as they were is there again.
    expect(keysOf('bob')).toEqual(['k']);
  },
);

it('an incremental import replaces users whose entries in other lists changed', async () => {
  await firstPass(['ann', 'bob'], metadata(['ann', 'k'], ['bob', 'k'], ['bob', 'l']));
  const [ann, before] = [userOf('ann')!, userOf('bob')!];
  const end = await secondPass(['ann', 'bob'], metadata(['bob', 'k'], ['ann', 'k']));
  expect(countsOf(end)).toMatchObject({ read: 2, written: 1, unchanged: 1 });
  expect(userOf('ann')!.created).toBe(ann.created);
  expect(userOf('bob')!.created).not.toBe(before.created);
  expect(keysOf('bob')).toEqual(['k']);
});

it('an incremental import never deletes users who existed before the first run', async () => {
  await service.server.call('POST /admin/v1/import', textOf([called('bob', 'Old')]));
  await service.server.clock.advance(60_000);
  await firstPass([called('bob', 'Bob')]);
  const end = await secondPass([called('bob', 'Robert')]);
  expect(countsOf(end)).toMatchObject({ read: 1, skipped: 1 });
  expect(userOf('bob')).toMatchObject({ firstName: 'Old' });
  expect(service.requests.filter((request) => request.startsWith('DELETE'))).toEqual([]);
});

const nameless = (firstName: string) => ({ user: called('bob', firstName).user });

it('an incremental import never deletes a later user with the name of a user without an id', async () => {
  await firstPass([nameless('Bob')]);
  const { users } = service.server.state.store;
  const [created] = users.by('name', 'bob');
  await service.server.call(`DELETE /v2/users/${created!.id}`);
  await service.server.clock.advance(60_000);
  await service.server.call('POST /admin/v1/import', textOf([nameless('Other')]));
  const end = await secondPass([nameless('Robert')]);
  expect(countsOf(end)).toMatchObject({ read: 1, written: 0, skipped: 1 });
  expect(users.by('name', 'bob')).toMatchObject([{ firstName: 'Other' }]);
});

it('an incremental import follows several journals, and matches users without ids by name', async () => {
  await firstPass(['ann', nameless('Bob')]);
  const robert = ['ann', nameless('Robert')];
  expect(countsOf(await secondPass(robert))).toMatchObject({ written: 1, unchanged: 1 });
  const second = join(folder, 'second.journal');
  copyFileSync(join(folder, journalName), second);
  const end = await secondPass(robert, {}, [firstJournal(), second]);
  expect(countsOf(end)).toMatchObject({ read: 2, written: 0, skipped: 2, unchanged: 2 });
  const { users } = service.server.state.store;
  expect(users.by('name', 'bob')).toMatchObject([{ firstName: 'Robert' }]);
});

it.each([
  ['another verb, even damaged', /"verb":"import"(.*\n)/, '"verb":"import-users"$1{}\n', /not of import/],
  ['another address', 'http://localhost', 'http://other', /it is about http:\/\/other/],
  ['another organization', /"orgs":\["\d+"\]/, '"orgs":["7"]', /it is about organization 7/],
])('--since-journal refuses a journal of %s', async (_, part, other, message) => {
  await firstPass(['ann']);
  writeFileSync(firstJournal(), readFileSync(firstJournal(), 'utf8').replace(part, other));
  const refused = { code: 'usage', message };
  await expect(secondPass(['ann'])).rejects.toMatchObject(refused);
});
