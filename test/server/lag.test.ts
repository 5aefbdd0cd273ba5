/** Lists that lag behind writes, and look-ups that do not. */
import { describe, expect, it } from 'vitest';
import { createFullServer, type FullServer, userV2 } from '../support/full-server.ts';
import { richOrg } from '../support/rich-org.ts';

const minute = 60_000;

const add = (server: FullServer, name: string) => server.call('POST /v2/users/human', userV2(name));

/** User names in lists of both versions. */
async function listed({ call }: FullServer) {
  const queries = [{ typeQuery: { type: 'TYPE_HUMAN' } }];
  const names = async (path: string, member: string) =>
    ((await call(`POST ${path}`, { queries })).body.result ?? []).map((user: any) => user[member]);
  return [await names('/management/v1/users/_search', 'userName'), await names('/v2/users', 'username')];
}

const eventsOf = async ({ call }: FullServer, query: object) =>
  (await call('POST /admin/v1/events/_search', query)).body.events.map(({ type }: any) => type.type);

describe('lists with --lag', () => {
  it('show a new user after the lag, and a deleted user until then', async () => {
    const server = createFullServer({ lag: 2 * minute });
    await add(server, 'ada');
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

  it('report the time up to which they are complete', async () => {
    const server = createFullServer({ lag: minute });
    const upTo = async () => {
      const v1 = (await server.call('POST /management/v1/users/_search', {})).body.details;
      const v2 = (await server.call('POST /v2/users', {})).body.details;
      return [v1.viewTimestamp, v2.timestamp];
    };
    await server.clock.advance(1000);
    await add(server, 'ada');
    await server.clock.advance(1000);
    await add(server, 'bob');
    expect(await upTo()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z']);
    await server.clock.advance(minute - 1000);
    expect(await upTo()).toEqual(['2026-01-01T00:00:01Z', '2026-01-01T00:00:01Z']);
    await server.clock.advance(1000);
    expect(await upTo()).toEqual(['2026-01-01T00:00:02Z', '2026-01-01T00:00:02Z']);
  });

  it('include grants, metadata, links, organizations and exports', async () => {
    const server = createFullServer({ lag: minute });
    await server.importOrgs([richOrg('acme', 'Acme', 'a', 1)]);
    const count = async (path: string, list: string, body = {}) =>
      (await server.call(`POST ${path}`, body, { orgId: 'acme' })).body[list]?.length ?? 0;
    const counts = async () => [
      await count('/management/v1/users/grants/_search', 'result'),
      await count('/management/v1/users/a-user-0/metadata/_search', 'result'),
      await count('/management/v1/users/a-user-0/idps/_search', 'result'),
      await count('/v2/users/a-user-0/links/_search', 'result'),
      await count('/v2/users/a-user-0/metadata/search', 'metadata'),
      (await count('/admin/v1/orgs/_search', 'result')) - 1,
      (await count('/v2/organizations/_search', 'result')) - 1,
      await count('/admin/v1/export', 'orgs', { orgIds: ['acme'] }),
    ];
    expect(await counts()).toEqual(Array(8).fill(0));
    await server.clock.advance(minute);
    expect(await counts()).toEqual(Array(8).fill(1));
  });
});

describe('lists that lose events', () => {
  it('never show a user of a lost event, whom the event log has and who can be deleted', async () => {
    const server = createFullServer();
    await server.control('PUT lists', { lose: 1 });
    await add(server, 'ada');
    await add(server, 'bob');
    await server.call('POST /v2/users/ada/lock');
    expect(await listed(server)).toEqual([['bob'], ['bob']]);
    expect((await server.call('GET /v2/users/ada')).status).toBe(404);
    expect((await server.call('GET /management/v1/users/ada')).status).toBe(404);
    expect(await eventsOf(server, { aggregateId: 'ada', asc: true })).toEqual([
      'user.human.added',
      'user.human.email.verified',
      'user.locked',
    ]);
    expect((await server.call('DELETE /v2/users/ada')).status).toBe(200);
  });

  it('show a deleted user forever', async () => {
    const server = createFullServer();
    await add(server, 'ada');
    await server.control('PUT lists', { lose: 1 });
    await server.call('DELETE /v2/users/ada');
    expect(await listed(server)).toEqual([['ada'], ['ada']]);
    expect((await server.call('GET /v2/users/ada')).status).toBe(200);
    expect((await server.call('DELETE /v2/users/ada')).status).toBe(404);
    expect(await eventsOf(server, { aggregateId: 'ada', limit: 1 })).toEqual(['user.removed']);
  });
});
