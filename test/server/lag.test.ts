/** Lists that lag behind writes, and look-ups that do not. */
import { describe, expect, it } from 'vitest';
import { createFullServer, type FullServer } from '../support/full-server.ts';

const minute = 60_000;

const human = (userId: string) => ({
  userId,
  username: userId,
  profile: { givenName: 'A', familyName: 'B' },
  email: { email: `${userId}@b.c`, isVerified: true },
});

/** User names in lists of both versions. */
async function listed({ call }: FullServer): Promise<string[][]> {
  const queries = [{ typeQuery: { type: 'TYPE_HUMAN' } }];
  const v1 = await call('POST /management/v1/users/_search', { queries });
  const v2 = await call('POST /v2/users', { queries });
  return [
    (v1.body.result ?? []).map(({ userName }: { userName: string }) => userName),
    (v2.body.result ?? []).map(({ username }: { username: string }) => username),
  ];
}

describe('lists that lag', () => {
  it('show a new user after the lag, and a deleted one until then', async () => {
    const server = createFullServer({ lag: 2 * minute });
    await server.call('POST /v2/users/human', human('ada'));
    expect(await listed(server)).toEqual([[], []]);
    expect((await server.call('GET /v2/users/ada')).status).toBe(200);
    await server.clock.advance(2 * minute - 1);
    expect(await listed(server)).toEqual([[], []]);
    await server.clock.advance(1);
    expect(await listed(server)).toEqual([['ada'], ['ada']]);
    await server.call('DELETE /v2/users/ada');
    expect((await server.call('GET /v2/users/ada')).status).toBe(404);
    expect(await listed(server)).toEqual([['ada'], ['ada']]);
    await server.clock.advance(2 * minute);
    expect(await listed(server)).toEqual([[], []]);
  });

  it('say up to when they show what was written', async () => {
    const server = createFullServer({ lag: minute });
    const upTo = async () => {
      const v1 = (await server.call('POST /management/v1/users/_search', {})).body.details;
      const v2 = (await server.call('POST /v2/users', {})).body.details;
      return [v1.viewTimestamp, v2.timestamp];
    };
    await server.clock.advance(1000);
    await server.call('POST /v2/users/human', human('ada'));
    await server.clock.advance(1000);
    await server.call('POST /v2/users/human', human('bob'));
    expect(await upTo()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z']);
    await server.clock.advance(minute - 1000);
    expect(await upTo()).toEqual(['2026-01-01T00:00:01Z', '2026-01-01T00:00:01Z']);
    await server.clock.advance(1000);
    expect(await upTo()).toEqual(['2026-01-01T00:00:02Z', '2026-01-01T00:00:02Z']);
  });

  it('are those of grants, metadata, links, organizations and exports as well', async () => {
    const server = createFullServer({ lag: minute });
    const orgs = [
      {
        orgId: 'acme',
        org: { name: 'Acme' },
        humanUsers: [
          {
            userId: 'ada',
            user: {
              userName: 'ada',
              profile: { firstName: 'A', lastName: 'B' },
              email: { email: 'a@b.c', isEmailVerified: true },
            },
          },
        ],
        userMetadata: [{ id: 'ada', key: 'k', value: 'YQ==' }],
        projects: [{ projectId: 'p', project: { name: 'P' } }],
        userGrants: [{ userId: 'ada', projectId: 'p' }],
        oidcIdps: [{ idpId: 'i', idp: { name: 'I', clientId: 'c', clientSecret: 's', issuer: 'u' } }],
        userLinks: [{ userId: 'ada', idpId: 'i', providedUserId: 'x' }],
      },
    ];
    await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
    const headers = { 'x-zitadel-orgid': 'acme' };
    const inOrg = async (path: string) => (await server.call(path, {}, { headers })).body.result?.length ?? 0;
    const counts = async () => [
      await inOrg('POST /management/v1/users/grants/_search'),
      await inOrg('POST /management/v1/users/ada/metadata/_search'),
      await inOrg('POST /management/v1/users/ada/idps/_search'),
      await inOrg('POST /v2/users/ada/links/_search'),
      (await server.call('POST /v2/users/ada/metadata/search', {})).body.metadata?.length ?? 0,
      (await server.call('POST /admin/v1/orgs/_search', {})).body.result.length - 1,
      (await server.call('POST /v2/organizations/_search', {})).body.result.length - 1,
      (await server.call('POST /admin/v1/export', { orgIds: ['acme'] })).body.orgs?.length ?? 0,
    ];
    expect(await counts()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await server.clock.advance(minute);
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('lists that lose events', () => {
  it('never show a user whom the log has, nor does a look-up; the user can be deleted', async () => {
    const server = createFullServer();
    await server.control('PUT lists', { lose: 1 });
    await server.call('POST /v2/users/human', human('ada'));
    await server.call('POST /v2/users/human', human('bob'));
    await server.call('POST /v2/users/ada/lock');
    expect(await listed(server)).toEqual([['bob'], ['bob']]);
    expect((await server.call('GET /v2/users/ada')).status).toBe(404);
    expect((await server.call('GET /management/v1/users/ada')).status).toBe(404);
    const { body } = await server.call('POST /admin/v1/events/_search', { aggregateId: 'ada', asc: true });
    expect(body.events.map(({ type }: any) => type.type)).toEqual([
      'user.human.added',
      'user.human.email.verified',
      'user.locked',
    ]);
    expect((await server.call('DELETE /v2/users/ada')).status).toBe(200);
  });

  it('show a user for ever who was deleted', async () => {
    const server = createFullServer();
    await server.call('POST /v2/users/human', human('ada'));
    await server.control('PUT lists', { lose: 1 });
    await server.call('DELETE /v2/users/ada');
    expect(await listed(server)).toEqual([['ada'], ['ada']]);
    expect((await server.call('GET /v2/users/ada')).status).toBe(200);
    expect((await server.call('DELETE /v2/users/ada')).status).toBe(404);
    const { body } = await server.call('POST /admin/v1/events/_search', { aggregateId: 'ada', limit: 1 });
    expect(body.events.map(({ type }: any) => type.type)).toEqual(['user.removed']);
  });
});
