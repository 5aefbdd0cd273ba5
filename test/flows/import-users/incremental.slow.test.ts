/** The second pass on cutover night: only who is new or has changed, and a word about who is gone. */
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { remedyOf } from '../../../src/records/summary.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  bodyOf,
  createTarget,
  usersAt,
  sampleUser,
  runUsers,
  type RunUsersOptions,
  type Target,
} from '../../support/users-run.ts';

const runOf = ({ client, org }: Target, folder = createTestFolder()) =>
  ({
    verb: 'import-users',
    url: client.url,
    orgs: [org],
    journal: join(folder, 'users.journal'),
  }) as const;

type MoreOptions = Partial<RunUsersOptions>;

/** For who gets a new password, about which the service sends an email. */
const limits = { emails: 2, sms: 0 };

test('brings over who is new, changes in place who changed, leaves the others, and tells who vanished', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const sampleUsers = ['ann', 'bob', 'cyd'].map((name) => sampleUser(name));
  await runUsers(target, bodyOf(target.org, sampleUsers), { folder: first });
  const before = usersAt(target);

  const path = join(first, 'users.journal');
  const previous = await loadPreviousRuns([path], runOf(target));
  expect(previous.users).toBe(3);
  const changed = sampleUser('bob', { profile: { firstName: 'Robert', lastName: 'bob' } });
  const body = bodyOf(target.org, [sampleUser('ann'), changed, sampleUser('dan')]);
  const second = createTestFolder();
  const { tally } = await runUsers(target, body, { folder: second, selection: { ...allUsers, previous } });

  expect(tally).toMatchObject({ read: 3, written: 2, skipped: 1, rejected: 0 });
  expect(tally.reasons.get('user-skipped:unchanged')).toBe(1);
  const after = usersAt(target);
  expect([...after.keys()].toSorted()).toEqual(['ann', 'bob', 'cyd', 'dan']);
  expect(after.get('ann')!.id).toBe(before.get('ann')!.id);
  expect(after.get('bob')).toMatchObject({ firstName: 'Robert' });
  expect(after.get('bob')!.id).toBe(before.get('bob')!.id);
  expect(tally.reasons.get('single:changed')).toBe(1);
  const vanished = target.events.find((event) => event.type === 'notice' && event.code === 'delta:vanished');
  expect(vanished).toMatchObject({ text: expect.stringContaining('old-cyd') });

  const third = await loadPreviousRuns([path, join(second, 'users.journal')], runOf(target));
  const again = await runUsers(target, body, {
    folder: createTestFolder(),
    selection: { ...allUsers, previous: third },
  });
  expect(again.tally).toMatchObject({ read: 3, written: 0, skipped: 3 });
});

test('never deletes who was there before the first run', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('ann').user);
  const { id } = usersAt(target).get('ann')!;
  await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), { folder });
  const previous = await loadPreviousRuns([join(folder, 'users.journal')], runOf(target));
  const changed = sampleUser('ann', { profile: { firstName: 'Other', lastName: 'ann' } });
  const { tally } = await runUsers(target, bodyOf(target.org, [changed]), {
    folder: createTestFolder(),
    selection: { ...allUsers, previous },
  });
  expect(tally.reasons.get('user-skipped:exists')).toBe(1);
  expect(usersAt(target).get('ann')!.id).toBe(id);
});

/** With a link that the service does not know it refuses the record. */
const refusedLink = { idps: [{ configId: 'nowhere', externalUserId: 'x' }] };

test('who changed into something that the service refuses stays as they were, and is tried again until it fits', async () => {
  const target = createTarget();
  const passes: string[] = [];
  const pass = async (sampleUsers: readonly unknown[]) => {
    const previous = passes.length === 0 ? undefined : await loadPreviousRuns(passes, runOf(target));
    const folder = createTestFolder();
    const selection = { ...allUsers, previous };
    const end = await runUsers(target, bodyOf(target.org, sampleUsers), { folder, selection });
    passes.push(join(folder, 'users.journal'));
    return end.tally;
  };
  await pass([sampleUser('ann'), sampleUser('bob')]);
  const { id } = usersAt(target).get('bob')!;

  const refused = await pass([sampleUser('ann'), sampleUser('bob', refusedLink)]);
  expect(refused).toMatchObject({ rejected: 1, skipped: 1 });
  expect(usersAt(target).get('bob')!.id).toBe(id);

  // Fixed into what was there before: no one knows what the failed pass has left, so it is sent once more.
  expect(await pass([sampleUser('ann'), sampleUser('bob')])).toMatchObject({ written: 1, skipped: 1 });
  expect(await pass([sampleUser('ann'), sampleUser('bob')])).toMatchObject({ written: 0, skipped: 2 });
  const renamed = sampleUser('bob', { userName: 'robert' });
  expect(await pass([sampleUser('ann'), renamed])).toMatchObject({ written: 1, skipped: 1 });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'robert']);
});

test.each(['lost', 'reset'] as const)(
  'a change whose answer is %s is made once, with the new content',
  async (fault) => {
    const target = createTarget();
    const folder = createTestFolder();
    await runUsers(target, bodyOf(target.org, [sampleUser('bob')]), { folder });
    const previous = await loadPreviousRuns([join(folder, 'users.journal')], runOf(target));
    let calls = 0;
    const again = createTarget({
      server: target.server,
      fault: ({ method }) => (method === 'PATCH' && calls++ === 0 ? fault : undefined),
    });
    const changed = sampleUser('bob', { profile: { firstName: 'Robert', lastName: 'bob' } });
    const { tally } = await runUsers(again, bodyOf(target.org, [changed]), {
      folder: createTestFolder(),
      selection: { ...allUsers, previous },
    });
    expect(tally).toMatchObject({ read: 1, withNotes: 0, written: 1 });
    expect(usersAt(again).get('bob')).toMatchObject({ firstName: 'Robert', id: 'old-bob' });
  },
);

/** Brings `users` over once more, on the journal of the pass before. */
async function secondPass(
  target: Target,
  first: string,
  sampleUsers: readonly unknown[],
  more: MoreOptions = {},
  lists: Record<string, unknown> = {},
) {
  const previous = await loadPreviousRuns([join(first, 'users.journal')], runOf(target));
  const folder = more.folder ?? createTestFolder();
  const selection = { ...allUsers, previous };
  return await runUsers(target, bodyOf(target.org, sampleUsers, lists), { selection, ...more, folder });
}

test('users whose new names are old names of others are all renamed, in whatever order they come', async () => {
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
  // Ann takes Bob's name, Bob Cyd's, ... and Eve a new one.
  const renamed = names.map((name, at) => sampleUser(name, { userName: names[at + 1] ?? 'zoe' }));
  // The name that Ann gives up is taken by a new user.
  const sampleUsers = [sampleUser('new', { userName: 'ann' }), ...renamed];
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(sampleUsers, { minLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      async (order, concurrency) => {
        const target = createTarget();
        const first = createTestFolder();
        await runUsers(
          target,
          bodyOf(
            target.org,
            names.map((name) => sampleUser(name)),
          ),
          { folder: first },
        );
        const { tally } = await secondPass(target, first, order, { concurrency });
        expect(tally).toMatchObject({ read: 6, written: 6, skipped: 0, rejected: 0 });
        const expected = order.map(({ user }) => [user.userName, user.email.email]);
        expect(emailsAt(target)).toEqual(Object.fromEntries(expected));
      },
    ),
    { numRuns: 40 },
  );
});

test.each([
  ['chain', 'zoe'],
  ['circle', 'ann'],
])('a %s of names that is cut off in the middle is gone on with', async (_, last) => {
  const names = ['ann', 'bob', 'cyd', 'dan'];
  const renamed = names.map((name, at) => sampleUser(name, { userName: names[at + 1] ?? last }));
  const ends = new Set<string>();
  // Three requests come before the journal.
  for (let budget = 3; !ends.has('done'); budget++) {
    const target = createTarget();
    const first = createTestFolder();
    await runUsers(
      target,
      bodyOf(
        target.org,
        names.map((name) => sampleUser(name)),
      ),
      { folder: first },
    );
    const cut = createTarget({ server: target.server }, { budget });
    const folder = createTestFolder();
    const options = { folder, concurrency: 1 };
    const ended = await secondPass(cut, first, renamed, options).then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    ends.add(ended);
    const again = createTarget({ server: target.server });
    if (ended !== 'done') await secondPass(again, first, renamed, { ...options, resume: true });
    const expected = renamed.map(({ user }) => [user.userName, user.email.email]);
    expect(emailsAt(target)).toEqual(Object.fromEntries(expected));
  }
  expect([...ends]).toEqual(['api:budget', 'done']);
});

test('who is renamed to the name of another user stays as they were, and is named', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  await runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]), { folder });
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('eve').user);
  const before = usersAt(target);

  const taken = [sampleUser('ann', { userName: 'Eve' }), sampleUser('bob')];
  expect((await secondPass(target, folder, taken)).tally).toMatchObject({ rejected: 1, skipped: 1 });
  expect(usersAt(target)).toEqual(before);
});

test('users who have swapped their names, or passed them round, get them, with what else has changed', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  await runUsers(
    target,
    bodyOf(
      target.org,
      names.map((name) => sampleUser(name)),
    ),
    { folder: first },
  );
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('taken').user);
  // Two, three, and one who waits in vain for the name of another user.
  const next = ['bob', 'ann', 'dan', 'eve', 'cyd', 'taken'];
  const hashes = {
    hashedPassword: { value: '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C' },
  };
  const renamed = names.map((name, at) =>
    sampleUser(name, { userName: next[at], ...(at === 0 ? hashes : {}) }),
  );
  const { tally } = await secondPass(target, first, renamed, { limits });
  expect(tally).toMatchObject({ written: 5, rejected: 1 });
  expect(tally.reasons.get('import:name-taken')).toBe(1);
  const ids = Object.fromEntries([...usersAt(target)].map(([name, { id }]) => [id, name]));
  expect(ids).toMatchObject({
    ...Object.fromEntries(names.map((name, at) => [`old-${name}`, next[at]])),
    'old-fay': 'fay',
  });
  expect(usersAt(target).get('bob')!.passwordHash).toBe(hashes.hashedPassword.value);
  // About the only password that has changed, once.
  expect(target.server.state.store.notifications.size).toBe(1);
});

const emailsAt = (target: Target) =>
  Object.fromEntries([...usersAt(target)].map(([name, { email }]) => [name, email]));

test('what has changed at the service since stays, and is named', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const lists = { userMetadata: [{ id: 'old-ann', key: 'team', value: 'b25l' }] };
  await runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')], lists), {
    folder: first,
  });
  const human = {
    profile: { givenName: 'Own', familyName: 'Choice' },
    password: { password: { password: 'Own-Choice-1' } },
  };
  await target.server.clock.advance(1000);
  await target.server.call('PATCH /v2/users/old-ann', { human });
  await target.server.call('DELETE /v2/users/old-bob');
  const sent = { profile: { firstName: 'New', lastName: 'ann' }, email: { email: 'new@example.com' } };
  const hash = { hashedPassword: { value: '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C' } };
  const changed = sampleUser('ann', { ...sent, ...hash }, { state: 'USER_STATE_LOCKED' });
  const folder = createTestFolder();
  // A run that is resumed after that says the same again.
  for (const resume of [false, true]) {
    const more = { limits, folder, resume };
    const { tally } = await secondPass(target, first, [changed, sampleUser('bob', sent)], more);
    expect(tally).toMatchObject({ read: 2, withNotes: 1, skipped: 1 });
    expect(Object.fromEntries(tally.reasons)).toEqual({
      'single:changed': 1,
      'delta:kept': 1,
      'user-skipped:gone': 1,
    });
  }
  const there = usersAt(target);
  expect(there.get('ann')).toMatchObject({
    firstName: 'Own',
    email: 'new@example.com',
    emailVerified: false,
    status: 'locked',
  });
  expect(metadataOf(target, 'ann')).toEqual([]);
  // The one for the password that the user chose.
  expect(target.server.state.store.notifications.size).toBe(1);
  const checks = { user: { userId: 'old-ann' }, password: { password: 'Own-Choice-1' } };
  await target.server.call('POST /v2/users/old-ann/unlock', {});
  expect((await target.server.call('POST /v2/sessions', { checks })).status).toBe(201);
});

test('a new hash is written in place, also one pass after the other', async () => {
  const target = createTarget();
  const first = createTestFolder();
  await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), { folder: first });
  const value = '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C';
  const second = createTestFolder();
  const changed = [sampleUser('ann', { hashedPassword: { value } })];
  const { tally } = await secondPass(target, first, changed, { folder: second, limits });
  expect(tally).toMatchObject({ written: 1, withNotes: 0 });
  const hashAt = (): string => usersAt(target).get('ann')!.passwordHash;
  expect(hashAt()).toBe(value);
  const paths = [join(first, 'users.journal'), join(second, 'users.journal')];
  const previous = await loadPreviousRuns(paths, runOf(target));
  const again = sampleUser('ann');
  const end = await runUsers(target, bodyOf(target.org, [again]), {
    folder: createTestFolder(),
    selection: { ...allUsers, previous },
    limits,
  });
  expect(end.tally).toMatchObject({ written: 1, withNotes: 0 });
  expect(hashAt()).toBe(again.user.hashedPassword.value);
});

test('who is gone, and who has never answered the initialization email, are helped by what their reasons advise', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const email = { email: 'bob@example.com', isEmailVerified: false };
  const sampleUsers = [sampleUser('ann'), sampleUser('bob', { email })];
  const v1 = { route: 'import', limits: { emails: 1, sms: 0 } } as const;
  await runUsers(target, bodyOf(target.org, sampleUsers), { folder: first, ...v1 });
  const idOf = (name: string): string => usersAt(target).get(name)!.id;
  await target.server.call(`DELETE /v2/users/${idOf('ann')}`);
  const hash = { hashedPassword: { value: '$2a$10$KBCwKxOzLha2MUDgW0PjXe7l2JFBFiki3/lRtaMs9yJ5OiKFNCT6C' } };
  const changed = [sampleUser('ann', hash), sampleUser('bob', { email, ...hash })];
  const { tally } = await secondPass(target, first, changed, { limits });
  expect(tally.reasons).toEqual(
    new Map([
      ['user-skipped:gone', 1],
      ['single:changed', 1],
      ['delta:initial', 1],
    ]),
  );
  expect(tally.signIn).toEqual(new Map([['answer-email', 1]]));
  for (const code of ['user-skipped:gone', 'delta:initial'] as const)
    expect(remedyOf(code, new Set(['--since-journal', '--journal']))).toContain('`--user`');
  await target.server.call(`DELETE /v2/users/${idOf('bob')}`);
  const selection = { ...allUsers, users: new Set(['old-ann', 'old-bob']) };
  await runUsers(target, bodyOf(target.org, changed), { folder: createTestFolder(), selection });
  for (const name of ['ann', 'bob']) {
    expect(usersAt(target).get(name)).toMatchObject({ id: `old-${name}`, status: 'active' });
    expect(usersAt(target).get(name)!.passwordHash).toBe(hash.hashedPassword.value);
  }
});

const metadataOf = (target: Target, name: string): string[] =>
  Object.keys(usersAt(target).get(name)!.more?.metadata ?? {});

test('who has changed in nothing but a list of the body is brought over again, and no other user', async () => {
  const target = createTarget();
  const names = ['ann', 'bob', 'cyd', 'dan', 'eve'];
  const sampleUsers = names.map((name) => sampleUser(name));
  const entry = (name: string, key: string, value: string) => ({ id: `old-${name}`, key, value });
  const link = (name: string, providedUserId: string) => ({
    userId: `old-${name}`,
    idpId: 'idp',
    providedUserId,
  });
  const oidcIdps = [{ idpId: 'idp', idp: { name: 'I', clientId: 'c', clientSecret: 's', issuer: 'i' } }];
  await target.server.call('POST /admin/v1/import', bodyOf(target.org, [], { oidcIdps }));
  const first = createTestFolder();
  const userMetadata = [
    entry('ann', 'team', 'b25l'),
    entry('ann', 'desk', 'MQ=='),
    entry('bob', 'team', 'b25l'),
    entry('cyd', 'team', 'b25l'),
  ];
  await runUsers(target, bodyOf(target.org, sampleUsers, { userMetadata, userLinks: [link('eve', 'e1')] }), {
    folder: first,
  });
  const before = usersAt(target);

  const folder = createTestFolder();
  const changed = {
    // Ann's only stand in another order; Bob's has another value; Cyd's is gone; Dan has one now, and Eve another link.
    userMetadata: [
      entry('dan', 'team', 'b25l'),
      userMetadata[1],
      entry('bob', 'team', 'dHdv'),
      userMetadata[0],
    ],
    userLinks: [link('eve', 'e2')],
  };
  const { tally } = await secondPass(target, first, sampleUsers, { folder }, changed);
  expect(tally).toMatchObject({ read: 5, skipped: 1, rejected: 0, written: 4 });
  const after = usersAt(target);
  expect(names.filter((name) => after.get(name)!.id !== before.get(name)!.id)).toEqual([]);
  expect(metadataOf(target, 'cyd')).toEqual([]);
  expect(metadataOf(target, 'dan')).toEqual(['team']);
});

test('who has a password in plain text is compared by everything else', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  const plain = sampleUser('ann', { hashedPassword: undefined, password: 'Correct-Horse-7' });
  await runUsers(target, bodyOf(target.org, [plain]), { folder });
  const previous = await loadPreviousRuns([join(folder, 'users.journal')], runOf(target));
  const selection = { ...allUsers, previous };
  const { tally } = await runUsers(target, bodyOf(target.org, [plain]), {
    folder: createTestFolder(),
    selection,
  });
  expect(tally.reasons.get('user-skipped:unchanged')).toBe(1);
});

test('a journal of another organization is refused', async () => {
  const target = createTarget();
  const folder = createTestFolder();
  await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), { folder });
  await expect(
    loadPreviousRuns([join(folder, 'users.journal')], { ...runOf(target), orgs: ['another'] }),
  ).rejects.toMatchObject({ code: 'usage' });
});

test('the forecast counts a call for the state only where that changes, and names users who are there already', async () => {
  const target = createTarget();
  const first = createTestFolder();
  const inactive = { state: 'USER_STATE_INACTIVE' };
  await runUsers(target, bodyOf(target.org, [sampleUser('ann', {}, inactive)]), { folder: first });
  const renamed = { profile: { firstName: 'New', lastName: 'ann' } };
  await secondPass(target, first, [sampleUser('ann', renamed, inactive)], { dryRun: true });
  await secondPass(target, first, [sampleUser('ann', renamed)], { dryRun: true });
  await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), {
    folder: createTestFolder(),
    dryRun: true,
  });
  const quotes = target.events.flatMap((event) =>
    event.type === 'notice' && event.code === 'import:quote' ? [event.text] : [],
  );
  expect(quotes).toHaveLength(4);
  expect(quotes[0]).toContain(' 2 requests,');
  expect(quotes[1]).toContain(' 1 request,');
  expect(quotes[2]).toContain(' 2 requests,');
  expect(quotes[3]).toContain('less 1 whose ids users of the service have already');
});
