/** Undo against the reference server: it leaves the target as it was before the import. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  countUndo,
  findStopped,
  undo,
  type UndoCounts,
  type UndoPlan,
  type UndoRequest,
} from '../../../src/flows/undo/undo.ts';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { readSentUsers } from '../../../src/flows/resume/journal-users.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import { human, runImport } from '../../support/import-run.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers, type Target } from '../../support/users-run.ts';

const snapshot = (target: Target): string =>
  JSON.stringify([...target.server.state.store.users.values()].toSorted((a, b) => a.id.localeCompare(b.id)));

interface Imported {
  readonly target: Target;
  readonly folder: string;
  readonly before: string;
}

async function imported(): Promise<Imported> {
  const target = createTarget();
  const folder = createTestFolder();
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('bob').user);
  await target.server.clock.advance(60_000);
  const before = snapshot(target);
  const sampleUsers = ['ann', 'bob', 'cyd', 'dan'].map((name) => sampleUser(name));
  await runUsers(target, bodyOf(target.org, sampleUsers), { folder });
  return { target, folder, before };
}

async function requestFor(
  target: Target,
  folder: string,
  more: Partial<UndoRequest> = {},
): Promise<UndoRequest> {
  const journalPath = join(folder, 'users.journal');
  const journal = await loadJournal(journalPath);
  const path = `${journalPath}.undo`;
  const stopped = await findStopped(path, journal);
  return {
    client: target.client,
    name: 'users.journal',
    journalPath,
    journal,
    undoJournal: { path, resume: stopped !== undefined },
    stopped,
    alsoChanged: false,
    concurrency: 2,
    perSecond: undefined,
    ...more,
  };
}

const contextOf = (target: Target) => ({
  emit: (event: Target['events'][number]) => void target.events.push(event),
  clock: target.clock,
  signal: new AbortController().signal,
});

async function look(target: Target, request: UndoRequest): Promise<{ counts: UndoPlan; told: string[] }> {
  const told: string[] = [];
  const counts = await countUndo(request, contextOf(target), ({ willGo, created, standing }) => {
    told.push(`${willGo ? '-' : '='} ${created.userName} ${standing}`);
    return Promise.resolve();
  });
  return { counts, told };
}

async function undoAll(target: Target, request: UndoRequest, confirmed?: number): Promise<UndoCounts> {
  const { counts } = await look(target, request);
  await undo(request, contextOf(target), counts, confirmed ?? counts.there);
  return counts;
}

test.each(['one-call', 'import'] as const)(
  'a user whose outcome was cut out of the journal is looked up, route %s',
  async (route) => {
    const target = createTarget();
    const folder = createTestFolder();
    const body = bodyOf(
      target.org,
      ['ann', 'bob', 'cyd'].map((name) => sampleUser(name)),
    );
    await runUsers(target, body, { folder, route });
    const path = join(folder, 'users.journal');
    const lines = readFileSync(path, 'utf8').split('\n');
    const cut = lines.findIndex((line) => line.includes('"outcome"'));
    writeFileSync(path, lines.toSpliced(cut, 1).join('\n'));
    expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ created: 3, deleted: 3 });
    expect(usersAt(target).size).toBe(0);
  },
);

test('a second undo finds no user left', async () => {
  const { target, folder, before } = await imported();
  await undoAll(target, await requestFor(target, folder));
  const counts = await undoAll(target, await requestFor(target, folder));
  expect(counts).toMatchObject({ there: 0, gone: 3, deleted: 0 });
  expect(snapshot(target)).toBe(before);
});

test('leaves alone who has come in under the name of a user deleted meanwhile', async () => {
  const { target, folder } = await imported();
  target.server.state.store.users.delete(usersAt(target).get('ann')!.id);
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('ann').user);
  const counts = await undoAll(target, await requestFor(target, folder));
  expect(counts).toMatchObject({ there: 2, gone: 1 });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'bob']);
});

test('leaves alone who was changed since, unless told otherwise', async () => {
  const { target, folder, before } = await imported();
  await target.server.clock.advance(60_000);
  const { id } = usersAt(target).get('cyd')!;
  await target.server.call(`POST /management/v1/users/${id}/_lock`, {});
  const kept = await requestFor(target, folder);
  expect((await look(target, kept)).told).toEqual(['- ann ours', '= cyd changed', '- dan ours']);
  expect(await undoAll(target, kept)).toMatchObject({ deleted: 2, changed: 1 });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['bob', 'cyd']);
  const all = await requestFor(target, folder, { alsoChanged: true });
  expect(await undoAll(target, all)).toMatchObject({ deleted: 1 });
  expect(snapshot(target)).toBe(before);
});

test('who changed while the import was still at work is left alone as well', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const changing = createTarget({
    server: target.server,
    fault: ({ url, body = '' }) => {
      if (!url.endsWith('/v2/users/new') || !body.includes('"cyd"')) return undefined;
      const { users } = target.server.state.store;
      users.put({ ...users.by('name', 'ann')[0]!, changed: target.server.clock.now() + 3000 });
      return undefined;
    },
  });
  const sampleUsers = ['ann', 'bob', 'cyd'].map((name) => sampleUser(name));
  await runUsers(changing, bodyOf(target.org, sampleUsers), { folder, concurrency: 1 });
  const request = await requestFor(target, folder);
  expect((await look(target, request)).told).toEqual(['= ann changed', '- bob ours', '- cyd ours']);
});

test('a user whose own deactivation was done by a call without an answer has not changed since', async () => {
  const folder = createTestFolder();
  const target = createTarget();
  const sampleUsers = [sampleUser('ann', {}, { state: 'USER_STATE_INACTIVE' })];
  await runUsers(target, bodyOf(target.org, sampleUsers), { folder });
  // As if it had come five seconds after the creation, and only a second call had been answered: it was done already.
  const { users } = target.server.state.store;
  const ann = usersAt(target).get('ann')!;
  users.put({ ...ann, changed: (ann.changed ?? 0) + 5000 });
  const path = join(folder, 'users.journal');
  const lines = readFileSync(path, 'utf8').split('\n');
  const later = lines.map((line) => {
    if (line.includes('"intent":2'))
      return line.replace(/"at":(\d+)/, (_, at: string) => `"at":${Number(at) + 5000}`);
    return line.includes('"outcome":2') ? line.replace(/,"writtenAt":\d+/, '') : line;
  });
  writeFileSync(path, later.join('\n'));
  await target.server.clock.advance(60_000);
  expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ deleted: 1, changed: 0 });
});

test('only who was counted is deleted, and no user who changed after the number was confirmed', async () => {
  const { target, folder } = await imported();
  const request = await requestFor(target, folder);
  const { counts } = await look(target, request);
  await target.server.clock.advance(60_000);
  await target.server.call(`POST /management/v1/users/${usersAt(target).get('cyd')!.id}/_lock`, {});
  await undo(request, contextOf(target), counts, 3);
  expect(counts).toMatchObject({ deleted: 2, changed: 1, ours: 2 });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['bob', 'cyd']);
  expect(target.events).toContainEqual(expect.objectContaining({ code: 'undo:stays' }));
});

test('one whom the list did not show when they were counted is not deleted with them', async () => {
  const { target, folder } = await imported();
  const request = await requestFor(target, folder);
  const dan = target.server.state.store.users.by('name', 'dan')[0]!;
  target.server.state.store.users.delete(dan.id);
  const { counts } = await look(target, request);
  target.server.state.store.users.put(dan);
  await undo(request, contextOf(target), counts, 2);
  expect(counts.deleted).toBe(2);
  expect([...usersAt(target).keys()].toSorted()).toEqual(['bob', 'dan']);
});

describe('users whom the lists of the service have lost', () => {
  test.each(['one by one', 'in bulk'])('are found in its log and deleted, imported %s', async (way) => {
    const target = createTarget();
    const folder = createTestFolder();
    target.server.state.lists.lose(2);
    const body = bodyOf(
      target.org,
      ['ann', 'bob', 'cyd'].map((name) => sampleUser(name)),
    );
    const journal = { path: join(folder, 'users.journal'), resume: false };
    if (way === 'in bulk') await runImport(target, folder, body, { journal });
    else await runUsers(target, body, { folder, concurrency: 1 });
    const listed = await target.server.call('POST /management/v1/users/_search', {});
    expect(JSON.stringify(listed.body)).not.toContain('"ann"');
    const { counts, told } = await look(target, await requestFor(target, folder));
    expect(told.toSorted()).toEqual(['- ann ours', '- bob ours', '- cyd ours']);
    await undo(await requestFor(target, folder), contextOf(target), counts, 3);
    expect(counts).toMatchObject({ deleted: 3, gone: 0 });
    expect(usersAt(target).size).toBe(0);
  });

  test('are not there any more where it is their deletion that was lost', async () => {
    const { target, folder } = await imported();
    const ids = ['ann', 'cyd'].map((name) => usersAt(target).get(name)!.id);
    target.server.state.lists.lose(2);
    await target.server.call(`DELETE /v2/users/${ids[0]}`);
    const { counts, told } = await look(target, await requestFor(target, folder));
    expect(told).toEqual(['- cyd ours', '- dan ours']);
    await target.server.call(`DELETE /v2/users/${ids[1]}`);
    await undo(await requestFor(target, folder), contextOf(target), counts, 2);
    expect(counts).toMatchObject({ deleted: 1, gone: 2, ours: 1 });
  });

  test('stay where they were changed since', async () => {
    const target = createTarget();
    const folder = createTestFolder();
    target.server.state.lists.lose(1);
    await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), { folder });
    await target.server.clock.advance(60_000);
    await target.server.call(`POST /management/v1/users/${usersAt(target).get('ann')!.id}/_lock`, {});
    expect((await look(target, await requestFor(target, folder))).told).toEqual(['= ann changed']);
  });
});

test('what the run itself changed of users is no change', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const off = sampleUser('off', {}, { state: 'USER_STATE_INACTIVE' });
  const extras = { userMetadata: [{ id: 'old-off', key: 'k', value: 'dg==' }] };
  await runUsers(target, bodyOf(target.org, [off], extras), { folder });
  expect(usersAt(target).get('off')?.status).toBe('inactive');
  expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ deleted: 1, changed: 0 });
});

test('what a later run of the folder changed in place is no change, and what others changed after it is', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
  await runUsers(
    target,
    bodyOf(
      target.org,
      names.map((name) => sampleUser(name)),
    ),
    { folder },
  );
  await target.server.clock.advance(60_000);
  const runs = { verb: 'import-users', url: target.client.url, orgs: [target.org] } as const;
  const path = join(folder, 'second.journal');
  const previous = await loadPreviousRuns([join(folder, 'users.journal')], { ...runs, journal: path });
  const second = [
    sampleUser('ann', { profile: { firstName: 'New', lastName: 'ann' } }),
    sampleUser('bob', {}, { state: 'USER_STATE_LOCKED' }),
    sampleUser('cyd', { userName: 'Cyd' }),
    sampleUser('dan'),
    sampleUser('eve'),
  ];
  const userMetadata = [{ id: 'old-dan', key: 'k', value: 'dg==' }];
  await runUsers(target, bodyOf(target.org, second, { userMetadata }), {
    folder,
    journal: { path, resume: false },
    selection: { ...allUsers, previous },
  });
  const looked = async (): Promise<string[]> =>
    (await look(target, await requestFor(target, folder))).told.map((line) => line.toLowerCase());
  expect(await looked()).toEqual(names.map((name) => `- ${name} ours`));
  await target.server.clock.advance(400_000);
  await target.server.call('POST /v2/users/old-cyd/lock', {});
  await target.server.call('POST /v2/users/old-eve/lock', {});
  const kept = new Set(['cyd', 'eve']);
  expect(await looked()).toEqual(
    names.map((name) => (kept.has(name) ? `= ${name} changed` : `- ${name} ours`)),
  );
  // Without the other journal, it is unknown who changed them.
  renameSync(path, join(createTestFolder(), 'second.journal'));
  expect((await looked()).filter((line) => line.startsWith('-'))).toEqual(['- dan ours']);
});

test('the list of users is not waited for until it shows metadata, which it never takes notice of', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const userMetadata = ['ann', 'bob'].map((name) => ({ id: `old-${name}`, key: 'k', value: 'dg==' }));
  await runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')], { userMetadata }), {
    folder,
  });
  await target.server.clock.advance(60_000);
  expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ deleted: 2, changed: 0 });
  expect(target.events.filter((event) => event.type === 'notice' && event.code === 'list:behind')).toEqual(
    [],
  );
});

/** The run was killed between the request and its answer: the journal has an intent and no outcome. */
async function unanswered({ seen }: { seen: boolean }): Promise<{ target: Target; folder: string }> {
  const folder = createTestFolder();
  const killed = createTarget({
    fault: ({ url }) => {
      if (!url.endsWith('/v2/users/new')) return undefined;
      return seen ? { status: 401, body: {}, done: true } : { status: 401, body: {} };
    },
  });
  const { server } = killed;
  const run = runUsers(killed, bodyOf(killed.org, [sampleUser('ann')]), { folder });
  await expect(run).rejects.toThrow(/401/);
  // As if no one had come to write the outcome.
  const path = join(folder, 'users.journal');
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !line.includes('"outcome"'));
  writeFileSync(path, lines.join('\n'));
  return { target: createTarget({ server }), folder };
}

test('a user whose answer no one saw is found by the id of the journal, told, and deleted', async () => {
  const { target, folder } = await unanswered({ seen: true });
  const request = await requestFor(target, folder);
  expect((await look(target, request)).told).toEqual(['- ann ours']);
  expect(await undoAll(target, request)).toMatchObject({ created: 1, deleted: 1 });
  expect(usersAt(target).size).toBe(0);
});

test('a request that was never carried out is no user whom the run created', async () => {
  const { target, folder } = await unanswered({ seen: false });
  const counts = await undoAll(target, await requestFor(target, folder));
  expect(counts).toMatchObject({ created: 0, unanswered: 1, gone: 0, there: 0, deleted: 0 });
});

test.each([true, false])(
  'of a run that was killed and gone on with later, users count and not the requests that they took, the first one seen: %s',
  async (seen) => {
    const { target, folder } = await unanswered({ seen });
    await target.server.clock.advance(3_600_000);
    const body = bodyOf(target.org, [sampleUser('ann')]);
    const { tally } = await runUsers(target, body, { folder, resume: true });
    expect(tally).toMatchObject({ read: 1, written: 1 });
    const { counts } = await look(target, await requestFor(target, folder));
    expect(counts).toMatchObject({ created: 1, unanswered: 0, ours: 1, there: 1 });
  },
);

describe('of a bulk import that was killed, and gone on with twenty minutes later', () => {
  /** Up to its first outcome, the journal of a run that was killed; then that of the run after it. */
  async function resumed(
    more: Record<string, unknown> = {},
  ): Promise<{ target: Target; folder: string; path: string }> {
    const target = createTarget();
    const folder = createTestFolder();
    const path = join(folder, 'users.journal');
    const body = bodyOf(target.org, [sampleUser('ann'), sampleUser('bob'), sampleUser('cyd')], more);
    const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 5, seconds: 30 };
    await runImport(target, folder, body, { journal: { path, resume: false }, size });
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(
      path,
      lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"outcome"')),
        )
        .join('\n') + '\n',
    );
    await target.server.clock.advance(20 * 60_000);
    await runImport(target, folder, body, { journal: { path, resume: true }, size });
    return { target, folder, path };
  }

  test.each([
    ['has ended', '"end"'],
    ['was killed before it sent the last user again', '"doubtful"'],
    ['was killed after it sent the last user again', '"intent":2'],
  ])('every user is deleted where the second run %s', async (_, lastLine) => {
    const { target, folder, path } = await resumed();
    const lines = readFileSync(path, 'utf8').split('\n');
    const end = lines.findIndex((line) => line.includes(lastLine));
    expect(end).toBeGreaterThan(0);
    writeFileSync(path, `${lines.slice(0, end + 1).join('\n')}\n`);
    expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ created: 3, deleted: 3 });
    expect(usersAt(target).size).toBe(0);
  });

  test('metadata that the first run had set, and sets again, is no reason to call users changed', async () => {
    const userMetadata = Array.from({ length: 9 }, (_, at) => ({
      id: 'old-ann',
      key: `k${at}`,
      value: 'dg==',
    }));
    const { target, folder } = await resumed({ userMetadata });
    expect(await undoAll(target, await requestFor(target, folder))).toMatchObject({ deleted: 3, changed: 0 });
  });

  test('an incremental run knows since when they can have been created', async () => {
    const { path } = await resumed();
    const [times, all] = [new Set<number>(), [] as string[]];
    for await (const { at, userName, end } of readSentUsers({
      path,
      header: (await loadJournal(path)).header,
    })) {
      times.add(at);
      all.push(`${userName} ${end}`);
    }
    expect(all.toSorted()).toEqual(['ann created', 'bob created', 'cyd created']);
    expect(times.size).toBe(1);
  });
});

test('users who are gone, and whom a list that is behind still shows, do not count as changed or as others', async () => {
  const target = createTarget({ server: { ...createFullServer({ rate: null, lag: 60_000 }), logged: [] } });
  const folder = createTestFolder();
  await runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]), { folder });
  await target.server.clock.advance(3_600_000);
  for (const name of ['ann', 'bob']) {
    await target.server.call(`POST /management/v1/users/${usersAt(target).get(name)!.id}/_lock`, {});
  }
  await target.server.clock.advance(61_000);
  await target.server.call(`DELETE /management/v1/users/${usersAt(target).get('ann')!.id}`);
  const { counts, told } = await look(target, await requestFor(target, folder));
  expect(told).toEqual(['= bob changed']);
  expect(counts).toMatchObject({ created: 2, gone: 1, changed: 1, there: 0 });
});

test.each([
  { what: 'name', userId: undefined, told: [] },
  { what: 'id', userId: 'old-ann', told: ['= ann foreign'] },
])('the same $what is left alone where it came in long after the run', async ({ userId, told }) => {
  const { target, folder } = await unanswered({ seen: false });
  await target.server.clock.advance(3_600_000);
  const profile = { givenName: 'First', familyName: 'ann' };
  const human = { profile, email: { email: 'ann@example.com', isVerified: true } };
  const other = { organizationId: target.org, userId, username: 'ann', human };
  expect(await target.server.call('POST /v2/users/new', other)).toMatchObject({ status: 200 });
  const request = await requestFor(target, folder);
  expect((await look(target, request)).told).toEqual(told);
  expect(await undoAll(target, request)).toMatchObject({ created: 0, unanswered: 1, there: 0, deleted: 0 });
  expect(usersAt(target).size).toBe(1);
});

test('goes on after it was stopped, with the count that was confirmed at first', async () => {
  const { target, folder, before } = await imported();
  let deletes = 0;
  const failing = createTarget({
    server: target.server,
    fault: ({ method }) =>
      method === 'DELETE' && ++deletes > 1 ? { status: 403, body: { code: 7 } } : undefined,
  });
  await expect(undoAll(failing, await requestFor(failing, folder))).rejects.toMatchObject({ status: 403 });
  const again = await requestFor(target, folder);
  const { counts } = await look(target, again);
  expect(counts).toMatchObject({ there: 2, undone: 1, gone: 0 });
  await undo(again, contextOf(target), counts, 3);
  expect(counts.deleted).toBe(2);
  expect(snapshot(target)).toBe(before);
});

test('one whom the service will not delete is told, and the others go', async () => {
  const { target, folder } = await imported();
  const { id } = usersAt(target).get('cyd')!;
  const refusing = createTarget({
    server: target.server,
    fault: ({ method, url }) =>
      method === 'DELETE' && url.endsWith(id)
        ? { status: 400, body: { code: 9, message: 'Last owner (COMMAND-abcde)' } }
        : undefined,
  });
  expect(await undoAll(refusing, await requestFor(refusing, folder))).toMatchObject({
    deleted: 2,
    refused: 1,
  });
  expect(refusing.events).toContainEqual(
    expect.objectContaining({ code: 'undo:refused', text: expect.stringContaining('Last owner') }),
  );
  expect([...usersAt(target).keys()].toSorted()).toEqual(['bob', 'cyd']);
});

test('rolls back an import into several organizations, and no other user in any of them', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const orgs = (names: readonly string[]) =>
    ['100', '200', '300'].map((orgId) => ({
      orgId,
      org: { name: `Org ${orgId}` },
      humanUsers: names.map((name) => human(`${name}-${orgId}`)),
    }));
  // A user of the body is there before, in one of the organizations, and so is another user.
  const old = orgs(['old', 'ann']).map((org) => (org.orgId === '200' ? org : { ...org, humanUsers: [] }));
  await target.server.call('POST /admin/v1/import', { dataOrgs: { orgs: old }, timeout: '1m' });
  await target.server.clock.advance(60_000);
  const before = snapshot(target);
  const body = JSON.stringify({ dataOrgs: { orgs: orgs(['ann', 'bob', 'cyd']) }, timeout: '1m' });
  const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 4, seconds: 30 };
  const journal = { path: join(folder, 'users.journal'), resume: false };
  await runImport(target, folder, body, { size, journal });
  expect((await undoAll(target, await requestFor(target, folder))).deleted).toBe(8);
  expect(snapshot(target)).toBe(before);
});

test.each([
  { route: 'one-call', early: { notYet: 0, ours: 2 } },
  { route: 'import', early: { notYet: 1, ours: 1 } },
] as const)(
  'after %o, a user whose answer was lost is found while the list is behind by id alone',
  async (row) => {
    const dead = { on: false };
    const target = createTarget({
      server: { ...createFullServer({ rate: null, lag: 120_000 }), logged: [] },
      fault: ({ url, body = '' }) => {
        if (dead.on) return { status: 401, body: { code: 16, message: 'gone' } };
        dead.on = /\/(users\/new|_import)$/.test(url) && body.includes('"lost"');
        return dead.on ? 'lost' : undefined;
      },
    });
    const folder = createTestFolder();
    const body = bodyOf(target.org, [sampleUser('ann'), sampleUser('lost')]);
    const run = runUsers(target, body, { folder, concurrency: 1, route: row.route });
    await expect(run).rejects.toThrow(/401|gone/);
    dead.on = false;
    // Without the permission to read users by login name there is only the list.
    const refusal = { status: 403, body: { code: 7, message: 'No matching permissions found (AUTH-5mWD2)' } };
    const served = createTarget({
      server: target.server,
      fault: ({ url }) => (url.includes('_by_login_name') ? refusal : undefined),
    });
    const early = await look(served, await requestFor(served, folder, { wait: 1000 }));
    expect(early.counts).toMatchObject({ ...row.early, gone: 0, unanswered: 0 });
    const later = await look(served, await requestFor(served, folder, { wait: 10 * 60_000 }));
    expect(later.counts).toMatchObject({ notYet: 0, ours: 2 });
    expect(later.told).toEqual(['- ann ours', '- lost ours']);
  },
);
