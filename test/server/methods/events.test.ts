/** The event log answers who was added, when and by whom. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
const hash = '$2a$10$'.padEnd(60, 'x');

beforeEach(async () => {
  server = createTestServer();
  for (const userName of ['ada', 'bob']) {
    await server.clock.advance(60_000);
    await server.call('POST /management/v1/users/human/_import', {
      userName,
      profile: { firstName: userName, lastName: 'X' },
      email: { email: `${userName}@b.c`, isEmailVerified: true },
      hashedPassword: { value: hash },
    });
  }
});

const search = async (body: object) =>
  (await server.call('POST /admin/v1/events/_search', body)).body.events ?? [];
const names = async (body: object) =>
  (await search({ event_types: ['user.human.added'], ...body })).map((event: any) => event.payload.userName);

describe('events', () => {
  it('are chosen by org, user, editor and time', async () => {
    const ada = server.state.store.users.by('name', 'ada')[0]!.id;
    expect(await names({ aggregate_id: ada })).toEqual(['ada']);
    expect(await names({ aggregateId: 'none' })).toEqual([]);
    expect(await names({ resource_owner: 'none' })).toEqual([]);
    expect(await names({ resource_owner: server.orgId, asc: true })).toEqual(['ada', 'bob']);
    expect(await names({ editorUserId: 'unknown' })).toEqual([]);
    expect(await names({ range: { since: '2026-01-01T00:01:30Z' } })).toEqual(['bob']);
    expect(await names({ asc: true, from: '2026-01-01T00:02:00Z' })).toEqual(['bob']);
    expect(await names({ aggregateTypes: ['org'] })).toEqual([]);
    expect(await names({ eventTypes: ['user.locked'], event_types: undefined })).toEqual([]);
  });

  it('stay when their users go, and say that these are gone', async () => {
    const bob = server.state.store.users.by('name', 'bob')[0]!.id;
    await server.call(`DELETE /management/v1/users/${bob}`);
    const types = (await search({ aggregateId: bob, asc: true })).map(({ type }: any) => type.type);
    expect(types).toEqual(['user.human.added', 'user.removed']);
  });
});
