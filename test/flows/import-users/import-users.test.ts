/** The one-by-one import against the reference server, in one process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { ErrorLimit } from '../../../src/flows/import-users/error-limit.ts';
import { OldIds } from '../../../src/flows/import-users/send-related.ts';
import { loadJournal } from '../../../src/journal/load.ts';
import { State } from '../../../src/journal/states.ts';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createTestServer } from '../../support/full-server.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers } from '../../support/users-run.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `user-${at}`);

describe('import-users', () => {
  test('brings every user over once, writes the id map, and ends with exact counts', async () => {
    const target = createTarget();
    const folder = createTestFolder();
    const body = bodyOf(
      target.org,
      names(20).map((name) => sampleUser(name)),
    );
    const { tally } = await runUsers(target, body, { folder });
    expect(tally).toMatchObject({ read: 20, written: 20, withNotes: 0, rejected: 0, skipped: 0 });
    const there = usersAt(target);
    expect(there.size).toBe(20);
    const rows = readFileSync(join(folder, 'ids.csv'), 'utf8').trim().split('\n');
    expect(rows[0]).toBe('old_id,new_id,state');
    expect(rows.slice(1).toSorted()).toEqual(
      names(20)
        .map((name) => `old-${name},${there.get(name)!.id},created`)
        .toSorted(),
    );
  });

  test('keeps the id map of a previous run beside its own', async () => {
    const target = createTarget();
    const folder = createTestFolder();
    const body = bodyOf(target.org, [sampleUser('ann')]);
    await runUsers(target, body, { folder });
    const before = readFileSync(join(folder, 'ids.csv'), 'utf8');
    await runUsers(target, body, { folder });
    expect(readFileSync(join(folder, 'ids.csv.1'), 'utf8')).toBe(before);
    expect(readFileSync(join(folder, 'ids.csv'), 'utf8')).toBe(before.replace('created', 'existed'));
  });

  test('tells a link that is taken apart from a name that is taken elsewhere', async () => {
    const target = createTarget();
    const link = (name: string) => ({
      idps: [{ configId: 'idp', externalUserId: `at-${name}`, displayName: 'x' }],
    });
    const oidcIdps = [{ idpId: 'idp', idp: { name: 'I', clientId: 'c', clientSecret: 's', issuer: 'i' } }];
    const orgs = [
      { orgId: target.org, oidcIdps, humanUsers: [sampleUser('first', link('ann'))] },
      { orgId: 'other', org: { name: 'Other' }, humanUsers: [sampleUser('bob', {}, { userId: 'another' })] },
    ];
    await target.server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
    const sampleUsers = [sampleUser('ann', link('ann')), sampleUser('bob', link('bob'))];
    const { tally } = await runUsers(target, bodyOf(target.org, sampleUsers), { folder: createTestFolder() });
    expect(tally).toMatchObject({ written: 0, rejected: 2 });
    expect(tally.reasons.get('import:link-taken')).toBe(1);
    expect(tally.reasons.get('import:name-taken')).toBe(1);
  });

  test('has failed for a user whose name is taken in another organization', async () => {
    const target = createTarget();
    const { body } = await target.server.call('POST /v2/organizations', { name: 'Elsewhere' });
    await target.server.call('POST /management/v1/users/human/_import', sampleUser('ann').user, {
      orgId: body.organizationId,
    });
    const both = bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]);
    const { tally } = await runUsers(target, both, { folder: createTestFolder() });
    expect(tally).toMatchObject({ written: 1, skipped: 0, rejected: 1 });
    expect(tally.reasons.get('import:name-taken')).toBe(1);
  });

  test('calls who was there before existed, and leaves them as they are', async () => {
    const target = createTarget();
    const body = bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]);
    await target.server.call('POST /management/v1/users/human/_import', sampleUser('ANN').user);
    const { tally } = await runUsers(target, body, { folder: createTestFolder() });
    expect(tally).toMatchObject({ read: 2, written: 1, skipped: 1, rejected: 0 });
    expect(tally.reasons.get('user-skipped:exists')).toBe(1);
  });

  test('says of metadata and links whose owner is no user in the body that they were not sent', async () => {
    const target = createTarget();
    const lists = {
      userMetadata: [
        { id: 'old-ann', key: 'team', value: 'eA==' },
        { id: 'old-gone', key: 'team', value: 'eA==' },
      ],
      userLinks: [{ userId: 'old-gone', idpId: '1', providedUserId: 'x', providedUserName: 'x' }],
    };
    const users = [sampleUser('ann'), sampleUser('bob', { userName: '' })];
    const userGrants = [{ userId: 'old-bob', projectId: '1', roleKeys: ['r'] }];
    const body = bodyOf(target.org, users, { ...lists, userGrants });
    const { tally } = await runUsers(target, body, { folder: createTestFolder() });
    expect(tally).toMatchObject({ read: 2, rejected: 1 });
    expect(tally.reasons.get('single:unknown-owner')).toBe(2);
  });

  test('sends nothing when no user in the input has the name that was asked for', async () => {
    const target = createTarget();
    const selection = { ...allUsers, users: new Set(['ann', 'bbo']) };
    await expect(
      runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]), {
        folder: createTestFolder(),
        selection,
      }),
    ).rejects.toThrow('no user in the input is "bbo"');
    expect(usersAt(target).size).toBe(0);
  });

  test('rejects whom the service refuses and goes on with the others', async () => {
    const target = createTarget();
    const refused = sampleUser('bad', { idps: [{ configId: 'nowhere', externalUserId: 'x' }] });
    const body = bodyOf(target.org, [sampleUser('ann'), refused, sampleUser('bob'), { user: {} }]);
    const { tally } = await runUsers(target, body, { folder: createTestFolder() });
    expect(tally).toMatchObject({ read: 4, written: 2, rejected: 2 });
    expect(tally.reasons.get('import:refused')).toBe(1);
  });

  test('says of a refused hash that it was the hash', async () => {
    const target = createTarget({
      server: createTestServer({ profile: builtInProfiles.get('self-hosted')! }),
    });
    const value = `$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0c2FsdA==$${'k'.repeat(43)}=`;
    const refused = sampleUser('bad', { hashedPassword: { value } });
    const { tally } = await runUsers(target, bodyOf(target.org, [refused]), { folder: createTestFolder() });
    expect(tally.reasons.get('import:hash-refused')).toBe(1);
  });

  test('rejects the second of two users with one id; what the body has for that id goes to the first', async () => {
    const target = createTarget();
    const users = [sampleUser('ann'), { ...sampleUser('ben'), userId: 'old-ann' }, sampleUser('cy')];
    const userMetadata = [{ id: 'old-ann', key: 'k', value: 'dg==' }];
    const body = bodyOf(target.org, users, { userMetadata });
    const { tally } = await runUsers(target, body, { folder: createTestFolder() });
    expect(tally).toMatchObject({ read: 3, written: 2, rejected: 1 });
    expect(tally.reasons.get('user-skipped:duplicate-id')).toBe(1);
    expect([...usersAt(target).keys()]).toEqual(['ann', 'cy']);
    const robot = { userId: 'old-bob', user: { userId: 'old-bob', userName: 'robot', name: 'Robot' } };
    const both = bodyOf(target.org, [sampleUser('bob')], { machineUsers: [robot] });
    const kept = await runUsers(target, both, { folder: createTestFolder(), duplicates: 'keep' });
    expect(kept.tally).toMatchObject({ written: 1, rejected: 1 });
    expect(usersAt(target).get('ann')!.more?.metadata).toHaveProperty('k');
    const oldIds = new OldIds();
    for (const id of ['x', 'old-ann', 'old-ann']) oldIds.add(id);
    expect(oldIds.find('old-ann')).toBe(1);
  });

  test('creates each user whole in one call, under the old id, and sends no email and no SMS', async () => {
    const target = createTarget();
    const phone = { phone: { phone: '+41791234567' } };
    const unverified = { email: { email: 'cyd@example.com' }, ...phone, otpCode: 'JBSWY3DPEHPK3PXP' };
    const body = bodyOf(
      target.org,
      [
        sampleUser('ann', {}, { state: 'USER_STATE_INACTIVE' }),
        sampleUser('bob', {}, { state: 'USER_STATE_LOCKED' }),
        sampleUser('cyd', unverified),
      ],
      {
        userMetadata: [
          { id: 'old-cyd', key: 'k', value: 'dg==' },
          { id: 'old-cyd', key: 'l', value: '//79' },
        ],
      },
    );
    const { tally, followUpsFailed } = await runUsers(target, body, { folder: createTestFolder() });
    const there = usersAt(target);
    expect([...there].map(([name, { id, status }]) => [name, id, status])).toEqual([
      ['ann', 'old-ann', 'inactive'],
      ['bob', 'old-bob', 'locked'],
      ['cyd', 'old-cyd', 'active'],
    ]);
    expect(there.get('cyd')).toMatchObject({ emailVerified: false, more: { otpSecret: 'JBSWY3DPEHPK3PXP' } });
    const listed = await target.server.call('POST /v2/users/old-cyd/metadata/search', {});
    expect(
      listed.body.metadata.map(({ key, value }: { key: string; value: string }) => [key, value]),
    ).toEqual([
      ['k', 'dg=='],
      ['l', '//79'],
    ]);
    expect([...target.server.state.store.notifications.values()]).toEqual([]);
    expect({ followUpsFailed, reasons: [...tally.reasons] }).toEqual({ followUpsFailed: 0, reasons: [] });
    expect(tally.otp).toBe(1);
    const writes = target.requests.filter((line) => /users\/(?:new|[^/]+\/_(?:de|lo))/.test(line));
    expect(writes).toHaveLength(3 + 2);
  });

  test('never sends an id that a user of the service has, human or machine', async () => {
    const target = createTarget();
    const machine = { userName: 'robot', name: 'Robot', userId: 'old-ann' };
    await target.server.call('POST /management/v1/users/machine', machine);
    const { tally } = await runUsers(target, bodyOf(target.org, [sampleUser('ann'), sampleUser('bob')]), {
      folder: createTestFolder(),
    });
    expect(tally).toMatchObject({ written: 1, skipped: 1 });
    expect(usersAt(target).has('ann')).toBe(false);
  });

  test.each([
    ['plain numbers', { keep: true, prefix: '' }, { userId: '17' }, /^[0-9a-f]{24}$/],
    ['plain numbers with a prefix', { keep: true, prefix: 'wp-' }, { userId: '17' }, /^wp-17$/],
    ['a slash', { keep: true, prefix: '' }, { userId: 'a/b' }, /^[0-9a-f]{24}$/],
    ['--ids=new', { keep: false, prefix: '' }, {}, /^[0-9a-f]{24}$/],
  ])('gives ids: %s', async (_, idRule, entry, id) => {
    const target = createTarget();
    const folder = createTestFolder();
    const { tally } = await runUsers(target, bodyOf(target.org, [sampleUser('ann', {}, entry)]), {
      folder,
      idRule,
    });
    expect(usersAt(target).get('ann')!.id).toMatch(id);
    expect(tally.reasons.get('single:new-id')).toBe(1);
    expect(readFileSync(join(folder, 'ids.csv'), 'utf8')).toContain(
      `,${usersAt(target).get('ann')!.id},created`,
    );
  });

  test('gives another id to a user whose own stays taken by a removed organization', async () => {
    const target = createTarget();
    const { body: org } = await target.server.call('POST /v2/organizations', { name: 'Gone' });
    const human = {
      profile: { givenName: 'A', familyName: 'B' },
      email: { email: 'a@b.ch', isVerified: true },
    };
    const user = { organizationId: org.organizationId, userId: 'old-ann', username: 'ann', human };
    await target.server.call('POST /v2/users/new', user);
    await target.server.call(`DELETE /v2/organizations/${org.organizationId}`);
    const { tally } = await runUsers(target, bodyOf(target.org, [sampleUser('ann')]), {
      folder: createTestFolder(),
    });
    expect(tally).toMatchObject({ written: 1, rejected: 0 });
    expect(usersAt(target).get('ann')!.id).toMatch(/^[0-9a-f]{24}$/);
  });

  test('rejects who has what only the bulk import takes', async () => {
    const target = createTarget();
    const codes = sampleUser('ann', { recoveryCodes: [{ raw: 'one' }] });
    const long = sampleUser('bob', {
      hashedPassword: { value: `$pbkdf2-sha512$27500$${'A'.repeat(22)}$${'A'.repeat(172)}` },
    });
    const { tally } = await runUsers(
      target,
      bodyOf(target.org, [codes, long, sampleUser('cyd', { otpCode: '!!!' })]),
      {
        folder: createTestFolder(),
      },
    );
    expect(Object.fromEntries(tally.reasons)).toEqual({
      'single:recovery-codes': 1,
      'single:long-hash': 1,
      'single:totp-secret': 1,
    });
    expect(usersAt(target).size).toBe(0);
  });

  test('stops after one user where the service ignores a part of it', async () => {
    const target = createTarget({
      fault: ({ url, method }) =>
        method === 'GET' && url.endsWith('/v2/users/old-a')
          ? { status: 200, body: { user: { userId: 'old-a', username: 'a', state: 'USER_STATE_INITIAL' } } }
          : undefined,
    });
    const body = bodyOf(
      target.org,
      ['a', 'b', 'c'].map((name) => sampleUser(name)),
    );
    await expect(runUsers(target, body, { folder: createTestFolder() })).rejects.toThrow(
      'the service created user old-a without the active state, the password hash',
    );
    expect([...usersAt(target).keys()]).toEqual(['a']);
  });

  test('stops after one user with a part that the service ignores, also where others came first', async () => {
    const target = createTarget({
      fault: (request) => {
        const body = String(request.body).replace(/"totpSecret":"\w+"/, '"totp":""');
        if (request.url.endsWith('/v2/users/new')) Object.assign(request, { body });
        return undefined;
      },
    });
    const otp = { otpCode: 'JBSWY3DPEHPK3PXP' };
    const users = ['a', 'b', 'c', 'd'].map((name, at) => sampleUser(name, at > 1 ? otp : {}));
    await expect(runUsers(target, bodyOf(target.org, users), { folder: createTestFolder() })).rejects.toThrow(
      'the service created user old-c without the TOTP secret',
    );
    expect([...usersAt(target).keys()]).toEqual(['a', 'b', 'c']);
  });

  test('creates users by the older call where the service knows no other', async () => {
    const target = createTarget();
    const otp = { otpCode: 'JBSWY3DPEHPK3PXP' };
    const body = bodyOf(
      target.org,
      [sampleUser('ann', otp, { state: 'USER_STATE_INACTIVE' }), sampleUser('bob')],
      {
        userMetadata: [{ id: 'old-ann', key: 'k', value: 'dg==' }],
      },
    );
    const { tally } = await runUsers(target, body, { folder: createTestFolder(), route: 'import' });
    expect(Object.fromEntries(tally.reasons)).toEqual({ 'single:new-id': 2, 'single:otp': 1 });
    expect(usersAt(target).get('ann')).toMatchObject({
      status: 'inactive',
      more: { metadata: { k: expect.anything() } },
    });
    expect(target.requests.filter((line) => line.includes('_import'))).toHaveLength(2);
  });

  test('sends nothing when more emails would go out than allowed', async () => {
    const target = createTarget();
    const body = bodyOf(target.org, [sampleUser('ann', { email: { email: 'ann@example.com' } })]);
    const end = await runUsers(target, body, { folder: createTestFolder(), route: 'one-call-verify' });
    expect(end.overLimit).toBe(true);
    expect(usersAt(target).size).toBe(0);
  });

  test('gives up where every user is refused', async () => {
    const target = createTarget();
    const refused = names(60).map((name) =>
      sampleUser(name, { idps: [{ configId: 'nowhere', externalUserId: name }] }),
    );
    await expect(
      runUsers(target, bodyOf(target.org, refused), { folder: createTestFolder() }),
    ).rejects.toMatchObject({ code: 'import:too-many-errors' });
  });

  test('goes on where every user is refused and --max-errors allows for it', async () => {
    const target = createTarget();
    const refused = names(60).map((name) =>
      sampleUser(name, { idps: [{ configId: 'nowhere', externalUserId: name }] }),
    );
    const errors = new ErrorLimit({ most: 60 });
    const folder = createTestFolder();
    const { tally } = await runUsers(target, bodyOf(target.org, refused), { folder, errors });
    expect(tally).toMatchObject({ read: 60, rejected: 60 });
  });

  test('sends the same call again when an answer is lost, and asks no list', async () => {
    let lost = 0;
    const target = createTarget({
      fault: ({ url }) => (url.endsWith('/v2/users/new') && lost++ % 3 === 0 ? 'lost' : undefined),
    });
    const machineUsers = names(6).map((name) => {
      const userId = `robot-${name}`;
      return { userId, user: { userId, userName: userId, name } };
    });
    const body = bodyOf(
      target.org,
      names(12).map((name) => sampleUser(name)),
      { machineUsers },
    );
    const { tally } = await runUsers(target, body, { folder: createTestFolder() });
    expect(tally).toMatchObject({ read: 18, written: 18, machines: 6 });
    expect(usersAt(target).size).toBe(12);
    expect(target.requests.filter((line) => line.endsWith('/v2/users/new'))).toHaveLength(lost);
    expect(target.requests.filter((line) => line.endsWith('_search')).length).toBeLessThan(4);
  });

  test('the journal says of every user what became of them', async () => {
    const target = createTarget();
    const folder = createTestFolder();
    const body = bodyOf(
      target.org,
      names(5).map((name) => sampleUser(name)),
    );
    await runUsers(target, body, { folder });
    const journal = await loadJournal(join(folder, 'users.journal'));
    expect(journal.finished).toBe(true);
    expect(journal.states.count(State.created, 0, 5)).toBe(5);
  });
});
