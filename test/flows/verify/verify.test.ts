/** The comparison against the reference server: each kind of difference is found, and nothing else. */
import { describe, expect, test } from 'vitest';
import { tryLogins } from '../../../src/flows/verify/login-sample.ts';
import { placeholderHash } from '../../../src/records/placeholder-password.ts';
import type { UserRow } from '../../../src/server/store/rows.ts';
import { textsOf } from '../../support/workspace.ts';
import { memoryInput } from '../../support/memory-input.ts';
import {
  bodyOf,
  createBeside,
  createTarget,
  metadataOf,
  userAt,
  sampleUser,
  type Target,
} from '../../support/users-run.ts';
import { faultAt } from '../../support/service.ts';
import { asOrgOwner, runVerify, spoiled } from '../../support/verify-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan'];

const users = names.map((name) => sampleUser(name, { phone: { phone: '+41791234567' } }));

async function imported() {
  const target = createTarget();
  const body = bodyOf(target.org, users, metadataOf('bob'));
  await target.server.call('POST /admin/v1/import', body);
  return { target, body };
}

function plant(target: Target, name: string, change: (row: UserRow) => Partial<UserRow>) {
  const row = userAt(target, name);
  target.server.state.store.users.put({ ...row, ...change(row) });
}

const searches = (target: Target) => target.requests.filter((line) => line.endsWith('/users/_search'));

test('verify counts how each user can sign in at the target, regardless of the source', async () => {
  const target = createTarget();
  const { server } = target;
  const placeholder = { hashedPassword: { value: placeholderHash(10) } };
  const email = { email: 'initial@example.com', isEmailVerified: false };
  const carried = [
    sampleUser('ann'),
    sampleUser('initial', { email }),
    sampleUser('locked'),
    sampleUser('off', {}, { state: 'USER_STATE_INACTIVE' }),
    ...['waiting', 'migrated'].map((name) => sampleUser(name, placeholder)),
  ];
  await server.call('POST /admin/v1/import', bodyOf(target.org, carried));
  await server.call('POST /v2/users/old-locked/lock', {});
  // Active without a password, as import-users creates them.
  const none = ['empty', 'since', 'lost'].map((name) => sampleUser(name, { hashedPassword: undefined }));
  for (const one of none) await createBeside(target, one);
  for (const name of ['since', 'migrated'])
    await server.call(`POST /v2/users/old-${name}/password`, { newPassword: { password: 'Own-Secret-1' } });
  const [empty, since] = none;
  // The source has a password of this one.
  const lost = sampleUser('lost');
  const body = bodyOf(target.org, [...carried, empty, since, lost, sampleUser('gone')]);
  const { counts } = await runVerify(target, body);
  expect(Object.fromEntries(counts.signIn)).toEqual({
    password: 1,
    'answer-email': 1,
    disabled: 2,
    'set-password': 2,
    'own-password': 2,
    placeholder: 1,
    missing: 1,
  });
});

test('verify reports a user who is only at the target with the id there', async () => {
  const { target, body } = await imported();
  const { body: made } = await target.server.call(
    'POST /management/v1/users/human/_import',
    sampleUser('zoe').user,
  );
  const { compared, told } = await runVerify(target, body);
  expect(told).toEqual(['+ zoe']);
  expect(compared[0]).toEqual({
    outcome: 'extra',
    targetId: made.userId,
    userName: 'zoe',
    email: 'zoe@example.com',
    fields: [],
    unknown: [],
    detail: '',
  });
});

test('verify requests one page of the list per thousand users', async () => {
  const target = createTarget();
  const many = Array.from({ length: 2500 }, (_, at) => sampleUser(`user-${at}`));
  const body = bodyOf(target.org, many);
  await target.server.call('POST /admin/v1/import', body);
  const { counts } = await runVerify(target, body);
  expect(counts).toMatchObject({ same: 2500, differs: 0 });
  expect(searches(target)).toHaveLength(3);
});

const readings = async (target: Target, body: string, reportSame: boolean) => {
  let count = 0;
  const input = memoryInput('importBody.json', body);
  const counted = {
    ...input,
    blocks: () => {
      count += 1;
      return input.blocks();
    },
  };
  const { counts } = await runVerify(target, body, { reportSame, details: 'none' }, [counted]);
  return { count, same: counts.same };
};

test('verify rereads the source only to name users', async () => {
  const { target, body } = await imported();
  const quiet = await readings(target, body, false);
  expect(quiet.same).toBe(names.length);
  expect(await readings(target, body, true)).toEqual({ count: quiet.count + 1, same: names.length });
  plant(target, 'ann', () => ({ email: 'other@example.com' }));
  // Once more to read who differs by id.
  expect(await readings(target, body, false)).toEqual({ count: quiet.count + 2, same: names.length - 1 });
});

const pageOf = (...sampleUsers: readonly object[]) => ({ status: 200, body: { result: sampleUsers } });

test('verify with a late or unstable list looks up missing users once more', async () => {
  const { target, body } = await imported();
  const late = spoiled(target, '/users/_search', pageOf(), 1);
  expect((await runVerify(late, body)).counts).toMatchObject({ same: names.length, missing: 0 });
  expect(searches(late)).toHaveLength(1);
});

const refused = { status: 403, body: { code: 7, message: 'No (AUTH-5mWD2)', details: [] } };

test('verify says in which organization users are who are in none of the source', async () => {
  const { target, body } = await imported();
  await target.server.call('POST /v2/organizations', { organizationId: '900', name: 'Other' });
  // Another user has the id.
  plant(target, 'bob', () => ({ userName: 'other' }));
  const verify = async (at = target) => (await runVerify(at, body, { orgs: ['900'], details: 'none' })).told;
  expect((await verify()).slice(0, 2)).toEqual([
    `* ann: organization; in organization ${target.org}`,
    '- bob',
  ]);
  const blind = spoiled(target, '/v2/users', refused);
  expect(await verify(blind)).toContain('- ann');
  const sample = [{ userName: 'x', password: 'x' }];
  for await (const { detail } of tryLogins(blind.client, ['900'], sample))
    expect(detail).toBe('no user has this user name');
});

test.each([
  [250, true],
  [251, false],
])('verify reads missing users one by one if they are %i: %s', async (missing, isSought) => {
  const target = createTarget();
  const sampleUsers = Array.from({ length: missing }, (_, at) => sampleUser(`user-${at}`));
  const { counts } = await runVerify(target, bodyOf(target.org, sampleUsers), { details: 'none' });
  expect(counts.missing).toBe(missing);
  const reads = target.requests.filter((line) => line.startsWith('GET /management/v1/users/'));
  expect(reads.length > missing).toBe(isSought);
});

test.each([
  ['cut off in the middle', (text: string) => text.slice(0, text.length / 2)],
  ['of a captive portal', () => '<html>Sign in</html>'],
  ['of another service', () => '{"result":[{"id":7}]}'],
])(
  'verify with a late or unstable list requests a page that is %s again, and counts no user twice',
  async (_, spoil) => {
    const { target, body } = await imported();
    await target.server.call('POST /management/v1/users/human/_import', sampleUser('zoe').user);
    const once = spoiled(target, '/users/_search', spoil, 1);
    const { counts, told } = await runVerify(once, body);
    expect(searches(once).length).toBeGreaterThan(1);
    expect(counts).toMatchObject({ same: names.length, missing: 0, extra: 1, differs: 0 });
    expect(told).toEqual(['+ zoe']);
  },
);

describe('verify if the service gives no export', () => {
  const planted = async () => {
    const { target, body } = await imported();
    plant(target, 'bob', () => ({ metadata: {} }));
    plant(target, 'cyd', () => ({ passwordHash: '' }));
    return { target, body };
  };

  test('reads suspicious users one by one and reports the cost first', async () => {
    const { target, body } = await planted();
    const owner = asOrgOwner(target);
    const { told } = await runVerify(owner, body, { perSecond: 45 });
    expect(told).toEqual(['* bob: metadata', '* cyd: password']);
    const [cost] = textsOf(owner, 'verify:details');
    expect(cost).toMatch(
      /No matching permissions found.* of 2 users are asked for one by one: 2 requests, about 1\.0 s at 45\/s/,
    );
    expect(owner.requests.filter((line) => line.includes('authentication_methods'))).toHaveLength(1);
    // Lists lag: without the permission to read events, what differs is looked at for ten seconds, and compared once more.
    expect(owner.requests.filter((line) => line.includes('metadata'))).toHaveLength(1 + 6 + 1);
  });

  test('reads users one by one if the export is too large or turned off', async () => {
    const { target, body } = await planted();
    const message = 'trying to send message larger than max (20000000 vs. 10485760)';
    const large = spoiled(target, '/export', { status: 429, body: { code: 8, message } });
    expect((await runVerify(large, body)).told).toEqual(['* bob: metadata', '* cyd: password']);
    expect(textsOf(large, 'verify:details')[0]).toContain('larger than max');
    const { told } = await runVerify(target, body, { withExport: false });
    expect(told).toEqual(['* bob: metadata', '* cyd: password']);
    expect(target.requests.join()).not.toContain('/export');
  });

  test('reads every user with details: all', async () => {
    const { target, body } = await imported();
    const extra = { value: 'eA==', created: 0, changed: 0 };
    plant(target, 'dan', () => ({ metadata: { extra } }));
    expect((await runVerify(asOrgOwner(target), body)).told).toEqual([]);
    expect((await runVerify(asOrgOwner(target), body, { details: 'all' })).told).toEqual(['* dan: metadata']);
  });

  test('reads no details with details: none', async () => {
    const { target, body } = await planted();
    expect((await runVerify(target, body, { details: 'none' })).told).toEqual([]);
    const details = /metadata|links|authentication_methods|export/;
    expect(target.requests.filter((line) => details.test(line))).toEqual([]);
  });

  test('counts fields that the token may not read as unknown, once and without more requests', async () => {
    const { target } = await imported();
    const both = bodyOf(target.org, users, metadataOf(...names));
    const blind = asOrgOwner(target, { fault: faultAt('/metadata/', refused) });
    const { told, counts } = await runVerify(blind, both, { concurrency: 1, perSecond: 1 });
    expect(told).toEqual(names.map((name) => `! ${name}: unknown metadata`));
    expect(counts).toMatchObject({ same: 0, unknown: 4 });
    expect(counts.unknownFields).toEqual(new Map([['metadata', 4]]));
    expect(textsOf(blind, 'verify:unknown')).toHaveLength(1);
  });

  test('counts passwords as unknown at a service without a call for them', async () => {
    const { target, body } = await imported();
    const absent = { status: 404, body: { code: 5, message: 'Not Found' } };
    const old = asOrgOwner(target, { fault: faultAt('/authentication_methods', absent) });
    plant(target, 'cyd', () => ({ passwordHash: '' }));
    expect((await runVerify(old, body)).told).toEqual(['! cyd: unknown password']);
  });

  test('does not count users of a broken export answer twice', async () => {
    const { target, body } = await imported();
    const breaking = spoiled(target, '/export', 'half', 1);
    expect((await runVerify(breaking, body)).told).toEqual([]);
    expect(breaking.requests.filter((line) => line.endsWith('/export'))).toHaveLength(2);
  });
});
