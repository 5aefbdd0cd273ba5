/** One by one against lists that lag: an incremental run, lost answers, and shards. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import type { ServiceOptions } from '../../support/service.ts';
import { bodyOf, createTarget, usersAt, sampleUser, runUsers, type Target } from '../../support/users-run.ts';

const lagging = (lag: number, options: ServiceOptions = {}): Target =>
  createTarget({ server: { ...createFullServer({ rate: null, lag }), logged: [] }, ...options });

const wasBehind = ({ events }: Target): boolean =>
  events.some((event) => event.type === 'notice' && event.code === 'list:behind');

describe.each([5000, 120_000])('an incremental run, lists %i ms behind', (lag) => {
  it('waits for what the previous run has written', async () => {
    const target = lagging(lag);
    const names = ['ann', 'bob', 'cyd'];
    const first = createTestFolder();
    await runUsers(
      target,
      bodyOf(
        target.org,
        names.map((name) => sampleUser(name)),
      ),
      { folder: first },
    );
    const before = usersAt(target);
    const path = join(first, 'users.journal');
    const second = createTestFolder();
    const run = { verb: 'import-users', url: target.client.url, orgs: [target.org] } as const;
    const previous = await loadPreviousRuns([path], { ...run, journal: join(second, 'users.journal') });
    const changed = sampleUser('bob', { profile: { firstName: 'Robert', lastName: 'bob' } });
    const body = bodyOf(target.org, [sampleUser('ann'), changed, sampleUser('cyd'), sampleUser('dan')]);
    expect(wasBehind(target)).toBe(false);

    const { tally } = await runUsers(target, body, {
      folder: second,
      selection: { ...allUsers, previous },
      since: [path],
    });
    expect(wasBehind(target)).toBe(true);
    expect(tally).toMatchObject({ read: 4, written: 2, skipped: 2, rejected: 0 });
    const after = usersAt(target);
    expect([...after.keys()].toSorted()).toEqual(['ann', 'bob', 'cyd', 'dan']);
    expect(after.get('ann')!.id).toBe(before.get('ann')!.id);
    expect(after.get('bob')).toMatchObject({ firstName: 'Robert' });
    expect(after.get('bob')!.id).toBe(before.get('bob')!.id);
  });
});

it('an incremental run does not wait for metadata, of which the list of users takes no notice', async () => {
  const target = lagging(0);
  const userMetadata = [{ id: 'old-ann', key: 'k', value: 'dg==' }];
  const body = bodyOf(target.org, [sampleUser('ann')], { userMetadata });
  const folder = createTestFolder();
  await runUsers(target, body, { folder });
  await runUsers(target, body, { folder: createTestFolder(), since: [join(folder, 'users.journal')] });
  expect(wasBehind(target)).toBe(false);
});

it('nobody is lost or doubled where answers are lost and lists are two minutes late, and no list is waited for', async () => {
  let sent = 0;
  const isLost = ({ url }: { url: string }): boolean => url.endsWith('/v2/users/new') && sent++ % 20 === 7;
  const target = lagging(120_000, { fault: (request) => (isLost(request) ? 'lost' : undefined) });
  const names = Array.from({ length: 100 }, (_, at) => `user-${at}`);
  const body = bodyOf(
    target.org,
    names.map((name) => sampleUser(name)),
  );
  const { tally } = await runUsers(target, body, { folder: createTestFolder() });
  expect(tally).toMatchObject({ read: 100, written: 100 });
  expect([...usersAt(target).values()].map(({ id }) => id).toSorted()).toEqual(
    names.map((name) => `old-${name}`).toSorted(),
  );
  expect(wasBehind(target)).toBe(false);
});

describe.each([0, 5000])('shards that begin at once, lists %i ms behind', (lag) => {
  it('create each organization, project, role and project grant once', async () => {
    const target = lagging(lag);
    const roleKeys = Array.from({ length: 150 }, (_, at) => `role-${at}`);
    const orgs = [
      {
        orgId: target.org,
        projects: [{ projectId: '4711', project: { name: 'Harbour' } }],
        projectRoles: roleKeys.map((roleKey) => ({ projectId: '4711', roleKey, displayName: roleKey })),
        projectGrants: [
          { projectGrantId: '815', projectGrant: { projectId: '4711', grantedOrgId: '300', roleKeys } },
        ],
        humanUsers: ['ann', 'bob', 'cyd', 'dan'].map((name) => sampleUser(name)),
        userGrants: [{ userId: 'old-ann', projectId: '4711', roleKeys: ['role-149'] }],
      },
      {
        orgId: '300',
        org: { name: 'Acme' },
        humanUsers: ['eve', 'fay', 'guy', 'hal'].map((name) => sampleUser(name)),
        userGrants: [{ userId: 'old-eve', projectId: '4711', projectGrantId: '815', roleKeys: ['role-0'] }],
      },
    ];
    const body = JSON.stringify({ dataOrgs: { orgs }, timeout: '30m0s' });
    const ends = await Promise.all(
      [1, 2, 3].map((index) =>
        runUsers(target, body, {
          folder: createTestFolder(),
          org: undefined,
          orgs: [
            { orgId: target.org, name: '', domains: [] },
            { orgId: '300', name: 'Acme', domains: [] },
          ],
          selection: { ...allUsers, shard: { index, count: 3 } },
        }),
      ),
    );
    expect(ends.reduce((sum, { tally }) => sum + tally.written, 0)).toBe(8);
    const { store } = target.server.state;
    expect([...store.projects.values()].filter(({ project }) => project.name === 'Harbour')).toHaveLength(1);
    expect([...store.roles.values()].filter(({ role }) => role.roleKey.startsWith('role-'))).toHaveLength(
      150,
    );
    expect(store.projectGrants.size).toBe(1);
    expect([...store.orgs.values()].filter(({ name }) => name === 'Acme')).toHaveLength(1);
    expect([...store.userGrants.values()].flatMap((grant) => grant.roleKeys).toSorted()).toEqual([
      'role-0',
      'role-149',
    ]);
  });
});
