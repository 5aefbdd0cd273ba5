/** A comparison right after an import, against lists that lag behind the writes of the service. */
import { describe, expect, it } from 'vitest';
import { readLastWriteIn } from '../../../src/flows/reconcile/write-times.ts';
import { createTestFolder } from '../../support/folder.ts';
import { codesOf } from '../../support/workspace.ts';
import { runImport, faultAt } from '../../support/service.ts';
import {
  userNames,
  bodyOf,
  userAt,
  usersAt,
  sampleUser,
  importBy,
  oidcIdps,
  type Target,
  createPasses,
  createLagging,
  createTarget,
  type Way,
  ways,
} from '../../support/users-run.ts';
import { asOrgOwner, runVerify, spoiled } from '../../support/verify-run.ts';

/** Every second one is inactive. */
const usersOf = (count: number) =>
  userNames(count).map((name, at) =>
    sampleUser(name, {}, at % 2 === 0 ? { state: 'USER_STATE_INACTIVE' } : {}),
  );

/** Imports so many users, and returns the body. */
async function imported(target: Target, way: Way, count: number, folder = createTestFolder()) {
  const body = bodyOf(target.org, usersOf(count));
  await importBy(way, target, body, { folder });
  return body;
}

describe.each([
  { way: 'one by one', count: 40, lag: 5000 },
  { way: 'one by one', count: 400, lag: 120_000 },
  { way: 'in bulk', count: 40, lag: 120_000 },
  { way: 'in bulk', count: 600, lag: 30_000 },
] as const)('verify of $count users, $way, lists $lag ms behind', ({ way, count, lag }) => {
  it('finds all users the same, and a deleted user missing', async () => {
    const target = createLagging(lag);
    const body = await imported(target, way, count);
    const { counts, told } = await runVerify(target, body);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ same: count, missing: 0, notYet: 0 });

    const [gone] = usersAt(target).values();
    await target.server.call(`DELETE /v2/users/${gone!.id}`);
    await target.clock.sleep(lag);
    expect((await runVerify(target, body)).told).toEqual([`- ${gone!.userName}`]);
  });

  it('finds all users the same with a token that may only read users', async () => {
    const target = createLagging(lag);
    const body = await imported(target, way, count);
    const { counts } = await runVerify(asOrgOwner(target), body, { details: 'none' });
    expect(counts).toMatchObject({ same: count, missing: 0, notYet: 0 });
  });
});

it('verify counts users who were never imported as missing although lists lag', async () => {
  const target = createLagging(120_000);
  await imported(target, 'in bulk', 10);
  const { counts } = await runVerify(target, bodyOf(target.org, usersOf(600)), { details: 'none' });
  expect(counts).toMatchObject({ same: 10, missing: 590, notYet: 0 });
});

it.each([
  { way: 'one by one', count: 40, changed: 4 },
  { way: 'one by one', count: 400, changed: 3 },
  { way: 'in bulk', count: 40, changed: 4 },
  { way: 'in bulk', count: 400, changed: 1 },
] as const)(
  'verify after an incremental run over $count users, $way, that replaces one of $changed, reads no user as before',
  async ({ way, count, changed }) => {
    const usersOf = (isChanged: boolean) =>
      userNames(count).map((name, at) =>
        // Not the last ones of the source: their times would tell.
        isChanged && at % changed === 0 && at < count - 5
          ? sampleUser(name, { profile: { firstName: 'Changed', lastName: 'Since' } })
          : sampleUser(name),
      );
    const target = createLagging(60_000);
    const { folder, path, next } = createPasses(target);
    const pass = (isChanged: boolean) => {
      const users = usersOf(isChanged);
      if (way === 'one by one') return next(users);
      const [name, since] = isChanged ? ['second', [path('first')]] : ['first', []];
      const journal = { path: path(name), resume: false };
      return runImport(target, folder, bodyOf(target.org, users), { journal, since });
    };
    await pass(false);
    await target.clock.sleep(600_000);
    await pass(true);
    const body = bodyOf(target.org, usersOf(true));
    const { told, counts } = await runVerify(target, body, { details: 'none' });
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ same: count, extra: 0, notYet: 0 });
  },
);

describe('verify of metadata and links in lagging lists', () => {
  const many = userNames(12);
  const detailed = (target: Target) =>
    bodyOf(target.org, many, {
      userMetadata: many.map((name) => ({ id: `old-${name}`, key: 'k', value: 'QQ==' })),
      oidcIdps,
      userLinks: many.map((name) => ({ userId: `old-${name}`, idpId: 'idp', providedUserId: name })),
    });
  /** Users are in the list at once; their details were written later. */
  async function late(lag: number): Promise<{ target: Target; body: string }> {
    const target = createLagging(lag);
    const body = detailed(target);
    await runImport(target, createTestFolder(), bodyOf(target.org, many, { oidcIdps }));
    await target.clock.sleep(lag - 1500);
    for (const name of many) {
      const options = { orgId: target.org };
      await target.clock.sleep(200);
      const id = `old-${name}`;
      await target.server.call(`POST /management/v1/users/${id}/metadata/k`, { value: 'QQ==' }, options);
      const idpLink = { idpId: 'idp', userId: name, userName: name };
      const { status } = await target.server.call(`POST /v2/users/${id}/links`, { idpLink }, options);
      expect(status).toBeLessThan(300);
    }
    return { target, body };
  }

  describe.each([{ withExport: true }, { withExport: false }])('%o', (how) => {
    it('waits for the lists', async () => {
      const { target, body } = await late(4000);
      const { told, counts } = await runVerify(target, body, how);
      expect(told).toEqual([]);
      expect(counts).toMatchObject({ same: 12, differs: 0, notYet: 0 });
      expect(codesOf(target)).toContain('list:behind');
    });

    it('counts them as unknown if the wait is over', async () => {
      const { target, body } = await late(60_000);
      const { told, counts } = await runVerify(target, body, { ...how, wait: 1000 });
      expect(counts).toMatchObject({ same: 0, differs: 0, unknown: 12, notYet: 12 });
      expect(told[0]).toBe(
        '! user-0: unknown metadata, links; not known yet: the list of the service is behind',
      );
    });

    it('reports a difference without a wait if the list shows all writes', async () => {
      const { target, body } = await late(4000);
      await target.clock.sleep(4000);
      await removeMetadata(target);
      await target.clock.sleep(4000);
      const { told, counts } = await runVerify(target, body, how);
      expect(told).toEqual(['* user-3: metadata']);
      expect(counts).toMatchObject({ same: 11, differs: 1, notYet: 0 });
    });
  });

  const removeMetadata = ({ server, org }: Target) =>
    server.call('DELETE /management/v1/users/old-user-3/metadata/k', undefined, { orgId: org });

  it('reports metadata as unknown that the list has lost and the log has', async () => {
    const { target, body } = await late(1);
    await removeMetadata(target);
    const details = { totalResult: '0', viewTimestamp: new Date(target.clock.now()).toISOString() };
    const lossy = spoiled(target, 'old-user-2/metadata/_search', { status: 200, body: { details } });
    expect((await runVerify(lossy, body, { withExport: false })).told).toEqual([
      /^! user-2: unknown metadata; written, but missing in the service's list. Its operator can restart/,
      '* user-3: metadata',
    ]);
  });

  describe('with a token that may not read events, after an import with a journal', () => {
    /** The list of links ends before the import has written its links, or after. */
    async function journaled(way: Way, listTime: 'before' | 'after') {
      const target = createTarget();
      const body = detailed(target);
      const folder = createTestFolder();
      await runImport(target, createTestFolder(), bodyOf(target.org, [], { oidcIdps }));
      await importBy(way, target, body, { folder });
      const last =
        way === 'in bulk'
          ? await readLastWriteIn(folder, target.client.url, 'userLinks')
          : // The links came with the user: the time of its creation is theirs.
            userAt(target, `user-${many.length - 1}`).created;
      expect(last).toBeDefined();
      const at = listTime === 'before' ? last! - 1 : last!;
      const details = { totalResult: '0', timestamp: new Date(at).toISOString() };
      const owner = asOrgOwner(target, {
        fault: faultAt('/links/_search', { status: 200, body: { details } }),
      });
      const { counts } = await runVerify(owner, body, { journals: [folder], wait: 60_000 });
      return { counts, codes: codesOf(owner) };
    }

    it.each(ways)('links are unknown before the last write shows, and differ after it, %s', async (way) => {
      const before = await journaled(way, 'before');
      expect(before.counts).toMatchObject({ same: 0, differs: 0, unknown: 12, notYet: 12 });
      const { counts, codes } = await journaled(way, 'after');
      expect(counts).toMatchObject({ same: 0, differs: 12, unknown: 0, notYet: 0 });
      expect(codes).toContain('list:as-of');
    });
  });

  it('counts them as unknown if the list has no timestamp', async () => {
    const { target, body } = await late(1);
    const owner = asOrgOwner(target, {
      fault: faultAt('/metadata/_search', { status: 200, body: {} }),
    });
    expect((await runVerify(owner, body)).counts).toMatchObject({ differs: 0, unknown: 12, notYet: 0 });
    expect(owner.events).toContainEqual(expect.objectContaining({ code: 'list:as-of', level: 'warning' }));
  });

  it('reads the lists once if nothing differs', async () => {
    const target = createTarget();
    await runImport(target, createTestFolder(), detailed(target));
    const before = target.requests.length;
    expect((await runVerify(target, detailed(target), { withExport: false })).told).toEqual([]);
    const reads = target.requests.slice(before).filter((line) => /metadata|links/.test(line));
    expect(reads).toHaveLength(2 * many.length);
  });
});

describe.each(ways)('verify of unlisted users, imported %s', (way) => {
  it('counts them as unknown if the log has them, else as missing', async () => {
    const target = createLagging(0);
    target.server.state.lists.lose(2);
    const body = await imported(target, way, 4);
    const { counts, told } = await runVerify(target, body);
    expect(counts).toMatchObject({ missing: 0, unknown: 2 });
    expect(told).toEqual([
      /^! user.*0: written, but missing in the service's list. Its operator can restart/,
      /^! user.*1: written, but missing in the service's list. Its operator can restart/,
    ]);
    expect(codesOf(target)).toContain('verify:unlisted');
    for (const { id } of usersAt(target).values()) await target.server.call(`DELETE /v2/users/${id}`);
    expect((await runVerify(target, body)).counts).toMatchObject({ missing: 4, unknown: 0 });
  });

  it('reads the log by pages if they are many', async () => {
    const target = createLagging(0);
    target.server.state.lists.lose(300);
    const body = await imported(target, way, 300);
    const before = target.requests.length;
    expect((await runVerify(target, body)).counts).toMatchObject({ unknown: 300 });
    expect(target.requests.length - before).toBeLessThan(300);
  });

  it('reports them as created by the import if the token may not read the log', async () => {
    const target = createLagging(0);
    target.server.state.lists.lose(2);
    const folder = createTestFolder();
    const body = await imported(target, way, 4, folder);
    const told = (await runVerify(asOrgOwner(target), body, { journals: [folder], details: 'none' })).told;
    expect(told).toEqual([
      /^! user.*0: created by the import, and not in the service's list/,
      /^! user.*1: created by the import, and not in the service's list/,
    ]);
  });

  it('does not count users among them who were created while it read the lists', async () => {
    const body = await imported(createLagging(0), way, 4);
    const target = createLagging(0);
    const call: typeof target.client.call = async (request) => {
      const isLog = 'body' in request && JSON.stringify(request.body).includes('user.human.added');
      if (isLog && usersAt(target).size === 0) await imported(target, way, 4);
      return target.client.call(request);
    };
    const { counts, told } = await runVerify(target, body, { client: { ...target.client, call } });
    expect([counts.same, told]).toEqual([4, []]);
  });

  it('counts them as missing if their deletion was lost', async () => {
    const target = createLagging(0);
    const body = await imported(target, way, 300);
    target.server.state.lists.lose(280);
    const ids = [...usersAt(target).values()].map(({ id }) => id);
    for (const id of ids.slice(0, 280)) await target.server.call(`DELETE /v2/users/${id}`);
    expect((await runVerify(target, body)).counts).toMatchObject({ same: 20, missing: 280, unknown: 0 });
    expect((await runVerify(target, bodyOf(target.org, []))).counts).toMatchObject({ extra: 20 });
  });
});
