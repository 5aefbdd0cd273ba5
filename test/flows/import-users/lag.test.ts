/** One by one against lists that lag: an incremental run, lost answers, and shards. */
import { expect, it } from 'vitest';
import { rollBack } from '../../support/undo-run.ts';
import { codesOf } from '../../support/workspace.ts';
import {
  bodyOf,
  beginPasses,
  createPasses,
  runUsers,
  sampleUser,
  allUsers,
  projectLists,
  createLagging,
  metadataOf,
} from '../../support/users-run.ts';

it('an incremental run does not wait for metadata to show in the user list', async () => {
  const { target, next } = createPasses(createLagging(0));
  for (const lists of [metadataOf('ann'), metadataOf('ann')]) await next(['ann'], { lists });
  expect(codesOf(target)).not.toContain('list:behind');
});

it.each([0, 5000])(
  'concurrent shards create each organization, project, role and project grant once, lists %i ms behind',
  async (lag) => {
    const target = createLagging(lag);
    const { store } = target.server.state;
    const roleKeys = Array.from({ length: 150 }, (_, at) => `role-${at}`);
    const projectGrant = { projectId: '4711', grantedOrgId: '300', roleKeys };
    const granted = (userId: string, roleKey: string, more = {}) => [
      { userId, projectId: '4711', ...more, roleKeys: [roleKey] },
    ];
    const orgs = [
      {
        orgId: target.org,
        projects: [{ projectId: '4711', project: { name: 'Harbour' } }],
        projectRoles: roleKeys.map((roleKey) => ({ projectId: '4711', roleKey, displayName: roleKey })),
        projectGrants: [{ projectGrantId: '815', projectGrant }],
        humanUsers: ['ann', 'bob', 'cyd', 'dan'].map((name) => sampleUser(name)),
        userGrants: granted('old-ann', 'role-149'),
      },
      {
        orgId: '300',
        org: { name: 'Acme' },
        humanUsers: ['eve', 'fay', 'guy', 'hal'].map((name) => sampleUser(name)),
        userGrants: granted('old-eve', 'role-0', { projectGrantId: '815' }),
      },
    ];
    const body = JSON.stringify({ dataOrgs: { orgs }, timeout: '30m0s' });
    const named = [
      { orgId: target.org, name: '', domains: [] },
      { orgId: '300', name: 'Acme', domains: [] },
    ];
    const ends = await Promise.all(
      [1, 2, 3].map((index) => {
        const selection = { ...allUsers, shard: { index, count: 3 } };
        return runUsers(target, body, { org: undefined, orgs: named, selection });
      }),
    );
    expect(ends.reduce((sum, { tally }) => sum + tally.written, 0)).toBe(8);
    const projects = Array.from(store.projects.values(), ({ project }) => project.name);
    expect(projects.filter((name) => name === 'Harbour')).toHaveLength(1);
    const roles = Array.from(store.roles.values(), ({ role }) => role.roleKey);
    expect(roles.filter((key) => key.startsWith('role-'))).toHaveLength(150);
    expect(store.projectGrants.size).toBe(1);
    expect([...store.orgs.values()].filter(({ name }) => name === 'Acme')).toHaveLength(1);
    const given = [...store.userGrants.values()].flatMap((grant) => grant.roleKeys);
    expect(given.toSorted()).toEqual(['role-0', 'role-149']);
  },
);

it('users who were just rolled back are imported again, although lists still show them', async () => {
  const { target, path, pass } = await beginPasses(['ann', 'bob'], {}, createLagging(5000));
  await target.clock.sleep(10_000);
  await rollBack(target, path('first'));
  expect((await pass('again', [], ['ann', 'bob'])).tally).toMatchObject({ written: 2 });
});

it('a user grant whose answer was lost counts as written while lists lag', async () => {
  let isLost = false;
  const fault = ({ url }: { readonly url: string }) =>
    /\/users\/[^/]+\/grants$/.test(url) && !isLost ? ((isLost = true), 'half' as const) : undefined;
  const target = createLagging(20_000, { fault });
  const body = bodyOf(target.org, ['ann'], projectLists('4711', 'role', 'old-ann'));
  expect(await runUsers(target, body)).toMatchObject({ isComplete: true, tally: { written: 1 } });
  expect(isLost).toBe(true);
  expect(target.server.state.store.userGrants.size).toBe(1);
});
