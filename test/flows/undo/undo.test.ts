/** Undo against the reference server: it leaves the target as it was before the import. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UndoRequest } from '../../../src/flows/undo/undo.ts';
import { readSentUsers } from '../../../src/flows/runs/journal-users.ts';
import { loadJournal, State } from '../../../src/journal/load.ts';
import { createTestFolder } from '../../support/folder.ts';
import { faultAt, inRequestsOf, runImport } from '../../support/service.ts';
import { lookAtUndo } from '../../support/undo-run.ts';
import { spoiled } from '../../support/verify-run.ts';
import {
  bodyOf,
  createBeside,
  createTarget,
  userAt,
  sampleUser,
  runUsers,
  type RunUsersOptions,
  type Target,
  namesAt,
  beginPasses,
  called,
  createLagging,
  fieldAt,
  importBy,
  metadataOf,
  ways,
} from '../../support/users-run.ts';

interface Imported {
  readonly target: Target;
  readonly folder: string;
}

/** After an import of users with these names, or of these entries, one by one. */
async function imported(
  users: readonly (string | object)[],
  {
    target = createTarget(),
    folder = createTestFolder(),
    lists,
    ...options
  }: RunUsersOptions & Partial<Imported> & { readonly lists?: object } = {},
) {
  await runUsers(target, bodyOf(target.org, users, lists), { ...options, folder });
  return { target, folder };
}

/** With a user who was there before. */
async function importedBesides() {
  const target = createTarget();
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('bob').user);
  await target.server.clock.advance(60_000);
  return imported(['ann', 'bob', 'cyd', 'dan'], { target });
}

const lock = (target: Target, name: string) =>
  target.server.call(`POST /management/v1/users/${userAt(target, name).id}/_lock`, {});

/** Changes the lines of the journal of the import. */
function editJournal(folder: string, edit: (lines: string[]) => readonly string[]) {
  const path = join(folder, 'users.journal');
  writeFileSync(path, edit(readFileSync(path, 'utf8').split('\n')).join('\n'));
}

/** As a kill leaves it, before the first line with these words, or after it. */
const cutJournal = (folder: string, words: string, more = 0) =>
  editJournal(folder, (lines) => {
    const end = lines.findIndex((line) => line.includes(words));
    expect(end).toBeGreaterThan(0);
    return [...lines.slice(0, end + more), ''];
  });

const look = ({ target, folder }: Imported, more?: Partial<UndoRequest>) =>
  lookAtUndo(target, join(folder, 'users.journal'), more);
const undoAll = async (run: Imported, more?: Partial<UndoRequest>) => (await look(run, more)).confirm();

test('undo keeps a user who changed while the import was still running', async () => {
  const { server } = createTarget();
  const target = createTarget({
    server,
    fault: ({ url, body = '' }) => {
      if (!url.endsWith('/v2/users/new') || !body.includes('"cyd"')) return undefined;
      const { users } = server.state.store;
      users.put({ ...users.by('name', 'ann')[0]!, changed: server.clock.now() + 3000 });
      return undefined;
    },
  });
  const { folder } = await imported(['ann', 'bob', 'cyd'], { target, concurrency: 1 });
  const { told } = await look({ target: createTarget({ server }), folder });
  expect(told).toEqual(['= ann changed', '- bob ours', '- cyd ours']);
});

test('undo does not count a deactivation by an unanswered call of the run as a change', async () => {
  const run = await imported([sampleUser('ann', {}, { state: 'USER_STATE_INACTIVE' })]);
  // As if it had come five seconds after the creation, and only a second call had been answered: it was done already.
  const { users } = run.target.server.state.store;
  const ann = userAt(run.target, 'ann');
  users.put({ ...ann, changed: (ann.changed ?? 0) + 5000 });
  editJournal(run.folder, (lines) =>
    lines.map((line) => {
      if (line.includes('"intent":2'))
        return line.replace(/"at":(\d+)/, (_, at: string) => `"at":${Number(at) + 5000}`);
      return line.includes('"outcome":2') ? line.replace(/,"writtenAt":\d+/, '') : line;
    }),
  );
  await run.target.server.clock.advance(60_000);
  expect(await undoAll(run)).toMatchObject({ deleted: 1, changed: 0 });
});

test('undo deletes only counted users, and keeps users who changed after the confirmation', async () => {
  const run = await importedBesides();
  const { confirm } = await look(run);
  await run.target.server.clock.advance(60_000);
  await lock(run.target, 'cyd');
  expect(await confirm()).toMatchObject({ deleted: 2, changed: 1, ours: 2 });
  expect(namesAt(run.target)).toEqual(['bob', 'cyd']);
  expect(run.target.events).toContainEqual(expect.objectContaining({ code: 'undo:stays' }));
});

test('undo does not delete a user whom the list did not show when it counted', async () => {
  const run = await importedBesides();
  const { users } = run.target.server.state.store;
  const dan = users.by('name', 'dan')[0]!;
  users.delete(dan.id);
  const { confirm } = await look(run);
  users.put(dan);
  expect(await confirm()).toMatchObject({ deleted: 2 });
  expect(namesAt(run.target)).toEqual(['bob', 'dan']);
});

test.each(ways)(
  'undo of users whom the lists have lost finds them in the event log and deletes them, imported %s',
  async (way) => {
    const target = createTarget();
    target.server.state.lists.lose(2);
    const folder = createTestFolder();
    await importBy(way, target, bodyOf(target.org, ['ann', 'bob', 'cyd']), { folder });
    const listed = await target.server.call('POST /management/v1/users/_search', {});
    expect(JSON.stringify(listed.body)).not.toContain('"ann"');
    const { told, confirm } = await look({ target, folder });
    expect(told.toSorted()).toEqual(['- ann ours', '- bob ours', '- cyd ours']);
    expect(await confirm()).toMatchObject({ deleted: 3, gone: 0 });
    expect(namesAt(target)).toEqual([]);
  },
);

test('undo of users whom the lists have lost counts them as gone if their deletion was lost', async () => {
  const run = await importedBesides();
  const { server } = run.target;
  const ids = ['ann', 'cyd'].map((name) => userAt(run.target, name).id);
  server.state.lists.lose(2);
  await server.call(`DELETE /v2/users/${ids[0]}`);
  const { told, confirm } = await look(run);
  expect(told).toEqual(['- cyd ours', '- dan ours']);
  await server.call(`DELETE /v2/users/${ids[1]}`);
  expect(await confirm()).toMatchObject({ deleted: 1, gone: 2, ours: 1 });
});

test('undo of users whom the lists have lost keeps those who changed since', async () => {
  const target = createTarget();
  target.server.state.lists.lose(1);
  const run = await imported(['ann'], { target });
  await target.server.clock.advance(60_000);
  await lock(target, 'ann');
  expect((await look(run)).told).toEqual(['= ann changed']);
});

test('undo does not count changes by the run as changes, and does not wait for metadata', async () => {
  const off = sampleUser('off', {}, { state: 'USER_STATE_INACTIVE' });
  const run = await imported([off, 'bob'], { lists: metadataOf('off', 'bob') });
  expect(userAt(run.target, 'off').status).toBe('inactive');
  await run.target.server.clock.advance(60_000);
  expect(await undoAll(run)).toMatchObject({ deleted: 2, changed: 0 });
  // The list of users never takes notice of it.
  expect(run.target.events).not.toContainEqual(expect.objectContaining({ code: 'list:behind' }));
});

test('undo ignores changes by later runs of the folder, and keeps users whom others changed after them', async () => {
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
  const { target, path, next } = await beginPasses(names);
  await target.server.clock.advance(60_000);
  const users = [
    called('ann', 'New'),
    sampleUser('bob', {}, { state: 'USER_STATE_LOCKED' }),
    sampleUser('cyd', { userName: 'Cyd' }),
    'dan',
    'eve',
  ];
  await next(users, { lists: metadataOf('dan') });
  const looked = async () => (await lookAtUndo(target, path('first'))).told.map((line) => line.toLowerCase());
  expect(await looked()).toEqual(names.map((name) => `- ${name} ours`));
  await target.server.clock.advance(400_000);
  for (const name of ['Cyd', 'eve']) await lock(target, name);
  const kept = new Set(['cyd', 'eve']);
  expect(await looked()).toEqual(
    names.map((name) => (kept.has(name) ? `= ${name} changed` : `- ${name} ours`)),
  );
  // A run on another service has changed none of them here.
  const second = path('second');
  writeFileSync(second, readFileSync(second, 'utf8').replace(/"url":"[^"]+"/, '"url":"https://b.example"'));
  expect((await looked()).filter((line) => line.startsWith('-'))).toEqual(['- dan ours']);
});

const renamed = (name: string) => called(name, 'New');
const later = async ({ server }: Target) => server.clock.advance(400_000);
const own = async (target: Target, name: string, human: object) => {
  await later(target);
  expect((await target.server.call(`PATCH /v2/users/old-${name}`, { human })).status).toBe(200);
  await later(target);
};
const password = { password: { password: { password: 'Own-Choice-1' } } };
const profile = { profile: { givenName: 'Own', familyName: 'Choice' } };

test('undo of users who changed themselves keeps them, also if later runs changed them again or kept their change', async () => {
  const names = ['ann', 'bob', 'cyd', 'dan'];
  const { target, path, next } = await beginPasses(names);
  await own(target, 'ann', password);
  await own(target, 'bob', profile);
  await next(names.map(renamed));
  await own(target, 'cyd', password);
  const off = (name: string) => ({ ...renamed(name), state: 'USER_STATE_LOCKED' });
  await next(names.map(off));
  const { told } = await lookAtUndo(target, path('first'));
  expect(told).toEqual(['= ann changed', '= bob changed', '= cyd changed', '- dan ours']);
});

test('undo of users who changed themselves keeps them, but not users whom passes deactivated and reactivated', async () => {
  const { target, path, next } = await beginPasses(['ann', 'bob', 'cyd', 'dan', 'eve']);
  await later(target);
  await own(target, 'bob', profile);
  await next(['ann', 'dan', 'eve'], { deleted: 'deactivate' });
  await later(target);
  await next(['ann', 'bob', 'cyd', 'eve'], { deleted: 'deactivate' });
  const { told } = await lookAtUndo(target, path('first'));
  expect(told).toEqual(['- ann ours', '= bob changed', '- cyd ours', '- dan ours', '- eve ours']);
});

test('undo of users who changed themselves keeps them, also if they changed while an incremental run was stopped', async () => {
  const { target, path, pass, next } = await beginPasses(['ann', 'bob']);
  await later(target);
  const over = spoiled(target, '/v2/users/old-ann', { status: 401, body: {} });
  const second = [renamed('ann'), renamed('bob')];
  await expect(next(second, { over, concurrency: 1 })).rejects.toThrow('401');
  await own(target, 'ann', password);
  await pass('second', ['first'], second, { resume: true });
  expect((await lookAtUndo(target, path('first'))).told).toEqual(['= ann changed', '- bob ours']);
});

test('a resumed undo counts a deletion whose answer was lost', async () => {
  const { target, folder } = await imported(['ann', 'bob', 'cyd']);
  const lossy = spoiled(target, 'DELETE http', { status: 401, body: {}, done: true });
  await expect(undoAll({ target: lossy, folder })).rejects.toThrow('401');
  expect(await undoAll({ target, folder })).toMatchObject({ created: 3, gone: 0 });
  expect((await loadJournal(join(folder, 'users.journal.undo'))).states.count(State.created)).toBe(3);
});

/** The run was killed between the request and its answer: the journal has an intent and no outcome. */
async function unanswered({ seen }: { seen: boolean }) {
  const folder = createTestFolder();
  const killed = createTarget({
    fault: faultAt('/v2/users/new', { status: 401, body: {}, done: seen }),
  });
  await expect(imported(['ann'], { target: killed, folder })).rejects.toThrow('401');
  // As after a kill before the outcome was written.
  editJournal(folder, (lines) => lines.filter((line) => !line.includes('"outcome"')));
  return { target: createTarget({ server: killed.server }), folder };
}

test.each([true, false])(
  'undo of a killed and resumed run counts users, not requests, the first one seen: %s',
  async (seen) => {
    const run = await unanswered({ seen });
    await run.target.server.clock.advance(3_600_000);
    await imported(['ann'], { ...run, resume: true });
    expect((await look(run)).counts).toMatchObject({ created: 1, unanswered: 0, ours: 1, there: 1 });
  },
);

describe.each(['one-call', 'import', 'bulk'] as const)(
  'a user given up without an answer, route %s,',
  (route) => {
    /** While `trouble.is`, every answer about Ann is lost, and no look-up shows her. */
    async function givenUp(done: boolean) {
      const trouble = { is: true };
      const target = createTarget({
        fault: ({ url, body }) => {
          if (!trouble.is) return undefined;
          if (String(body).includes('"First"')) return { status: 500, done };
          if (/_search$|\/v2\/users$/.test(url)) return { status: 200, body: { details: {}, result: [] } };
          return /\/old-ann|_by_login_name/.test(url) ? { status: 404, body: { code: 5 } } : undefined;
        },
      });
      const folder = createTestFolder();
      const journal = join(folder, 'users.journal');
      const body = bodyOf(target.org, [sampleUser('ann', {}, { state: 'USER_STATE_INACTIVE' })]);
      const send = (resume: boolean) =>
        route === 'bulk'
          ? runImport(target, folder, body, { journal: { path: journal, resume } })
          : runUsers(target, body, { folder, route, resume });
      const { tally } = await send(false);
      expect([...tally.reasons.keys()]).toContain('import:unconfirmed');
      trouble.is = false;
      await target.server.clock.advance(20 * 60_000);
      return { target, folder, journal, resume: () => send(true) };
    }

    test.each([true, false])('is looked up by undo; created: %s', async (done) => {
      const run = await givenUp(done);
      expect(await undoAll(run)).toMatchObject({ deleted: done ? 1 : 0 });
      expect(namesAt(run.target)).toEqual([]);
    });

    test.each([true, false])('is looked up and sent again by --resume; created: %s', async (done) => {
      const run = await givenUp(done);
      expect((await run.resume()).tally).toMatchObject({ read: 1, rejected: 0, skipped: 0 });
      expect(fieldAt(run.target, 'status')).toEqual({ ann: 'inactive' });
      expect(await loadJournal(run.journal)).toMatchObject({ finished: true, open: [] });
      expect(await undoAll(run)).toMatchObject({ created: 1, deleted: 1 });
      expect(namesAt(run.target)).toEqual([]);
    });
  },
);

/** Up to its first outcome, the journal of a run that was killed; then that of the run after it. */
async function resumed(userMetadata: readonly object[] = []) {
  const target = createTarget();
  const folder = createTestFolder();
  const path = join(folder, 'users.journal');
  const users = ['ann', 'bob', 'cyd'];
  const send = (resume: boolean) =>
    runImport(target, folder, bodyOf(target.org, users, { userMetadata }), {
      journal: { path, resume },
      size: inRequestsOf(5),
    });
  await send(false);
  cutJournal(folder, '"outcome"');
  await target.server.clock.advance(20 * 60_000);
  await send(true);
  return { target, folder };
}

test.each([
  ['has ended', '"end"'],
  ['was killed before it sent the last user again', '"unconfirmed"'],
  ['was killed after it sent the last user again', '"intent":2'],
])(
  'a bulk import killed and resumed twenty minutes later is undone completely if the second run %s',
  async (_, lastLine) => {
    const run = await resumed();
    cutJournal(run.folder, lastLine, 1);
    expect(await undoAll(run)).toMatchObject({ created: 3, deleted: 3 });
    expect(namesAt(run.target)).toEqual([]);
  },
);

test('a bulk import killed and resumed twenty minutes later does not count its repeated metadata as changes on undo', async () => {
  const keys = Array.from({ length: 9 }, (_, at) => ({ id: 'old-ann', key: `k${at}`, value: 'dg==' }));
  expect(await undoAll(await resumed(keys))).toMatchObject({ deleted: 3, changed: 0 });
});

test('a bulk import killed and resumed twenty minutes later gives an incremental run one earliest creation time for all users', async () => {
  const path = join((await resumed()).folder, 'users.journal');
  const [times, all] = [new Set<number>(), [] as string[]];
  const { header } = await loadJournal(path);
  for await (const { at, userName, end } of readSentUsers({ path, header })) {
    times.add(at);
    all.push(`${userName} ${end}`);
  }
  expect(all.toSorted()).toEqual(['ann created', 'bob created', 'cyd created']);
  expect(times.size).toBe(1);
});

test('undo with a local clock ahead deletes exactly the users of the run', async () => {
  const { server } = createTarget();
  const fault = ({ body = '' }: { readonly body?: string | undefined }) =>
    body.includes('"old-bob"') && body.includes('organizationId') ? 'reset' : undefined;
  const target = createTarget({ server, fault, dateAhead: 0 });
  const { clock } = target;
  const ahead = { ...target, clock: { ...clock, now: () => clock.now() + 4 * 3_600_000 } };
  const folder = createTestFolder();
  const projects = [{ projectId: '42', project: { name: 'Portal' } }];
  const { tally } = await runUsers(ahead, bodyOf(target.org, ['ann', 'bob'], { projects }), { folder });
  expect(tally.reasons.get('import:unconfirmed')).toBe(1);
  await server.clock.advance(3_600_000);
  await runUsers(createTarget({ server }), bodyOf(target.org, ['bob']));
  expect(namesAt(target)).toEqual(['ann', 'bob']);
  const hasProject = () =>
    [...server.state.store.projects.values()].some(({ project }) => project.name === 'Portal');
  expect(hasProject()).toBe(true);
  expect(await undoAll({ target, folder })).toMatchObject({ created: 1, deleted: 1, unanswered: 1 });
  expect(namesAt(target)).toEqual(['bob']);
  expect(hasProject()).toBe(false);
});

test('undo deletes users without ids that a slow bulk import created later', async () => {
  const { server } = createTarget();
  const { users } = server.state.store;
  // The service takes its time.
  const fault = faultAt('/admin/v1/import', (text) => {
    for (const name of ['bob', 'cyd']) {
      const [row] = users.by('name', name);
      users.put({ ...row!, created: row!.created + 5000 });
    }
    return text;
  });
  const target = createTarget({ server, fault });
  const folder = createTestFolder();
  const body = bodyOf(target.org, [
    'ann',
    { user: sampleUser('bob').user },
    { user: sampleUser('cyd').user },
  ]);
  await importBy('in bulk', target, body, { folder });
  expect(await undoAll({ target, folder })).toMatchObject({ created: 3, deleted: 3 });
});

test('undo counts deleted users in a lagging list neither as changed nor as foreign', async () => {
  const target = createLagging(60_000);
  const run = await imported(['ann', 'bob'], { target });
  await target.server.clock.advance(3_600_000);
  for (const name of ['ann', 'bob']) await lock(target, name);
  await target.server.clock.advance(61_000);
  await target.server.call(`DELETE /management/v1/users/${userAt(target, 'ann').id}`);
  const { counts, told } = await look(run);
  expect(told).toEqual(['= bob changed']);
  expect(counts).toMatchObject({ created: 2, gone: 1, changed: 1, there: 0 });
});

test.each([
  { what: 'name', userId: undefined, told: [] },
  { what: 'id', userId: 'old-ann', told: ['= ann foreign'] },
])('undo keeps a user with the same $what who was created long after the run', async ({ userId, told }) => {
  const run = await unanswered({ seen: false });
  await run.target.server.clock.advance(3_600_000);
  const other = sampleUser('ann', {}, { userId });
  expect(await createBeside(run.target, other)).toMatchObject({ status: 200 });
  const looked = await look(run);
  expect(looked.told).toEqual(told);
  expect(await looked.confirm()).toMatchObject({ created: 0, unanswered: 1, there: 0, deleted: 0 });
  expect(namesAt(run.target)).toEqual(['ann']);
});

test('undo names a user whom the service refuses to delete, and deletes the others', async () => {
  const { target, folder } = await importedBesides();
  const { id } = userAt(target, 'cyd');
  const refusal = { status: 400, body: { code: 9, message: 'Last owner (COMMAND-abcde)' } };
  const refusing = spoiled(target, `DELETE http://localhost/v2/users/${id}`, refusal);
  expect(await undoAll({ target: refusing, folder })).toMatchObject({ deleted: 2, refused: 1 });
  expect(refusing.events).toContainEqual(
    expect.objectContaining({ code: 'undo:refused', text: expect.stringContaining('Last owner') }),
  );
  expect(namesAt(target)).toEqual(['bob', 'cyd']);
});

test.each([
  { route: 'one-call', early: { notYet: 0, ours: 2 } },
  { route: 'import', early: { notYet: 1, ours: 1 } },
] as const)(
  'after %o, undo finds a user with a lost answer in a lagging list only by id',
  async ({ route, early }) => {
    let isDead = false;
    const target = createLagging(120_000, {
      fault: ({ url, body = '' }) => {
        if (isDead) return { status: 401, body: { code: 16, message: 'gone' } };
        isDead = /\/(users\/new|_import)$/.test(url) && body.includes('"lost"');
        return isDead ? 'lost' : undefined;
      },
    });
    const folder = createTestFolder();
    const run = imported(['ann', 'lost'], { target, folder, concurrency: 1, route });
    await expect(run).rejects.toThrow(/401|gone/);
    // Without the permission to read users by login name there is only the list.
    const refusal = { status: 403, body: { code: 7, message: 'No matching permissions found (AUTH-5mWD2)' } };
    const served = spoiled(target, '_by_login_name', refusal);
    const soon = await look({ target: served, folder }, { wait: 1000 });
    expect(soon.counts).toMatchObject({ ...early, gone: 0, unanswered: 0 });
    const later = await look({ target: served, folder }, { wait: 10 * 60_000 });
    expect(later.counts).toMatchObject({ notYet: 0, ours: 2 });
    expect(later.told).toEqual(['- ann ours', '- lost ours']);
  },
);
