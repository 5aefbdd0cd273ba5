/** What a server keeps of requests is bounded, however many come. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, it } from 'vitest';
import { addSecret } from '../../src/server/accounts.ts';
import { createFullServer, createTestServer, userV2 } from '../support/full-server.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
afterAll(() => setFlagsFromString('--no-expose-gc'));

const repeat = async (times: number, work: (i: number) => unknown) => {
  for (let i = 0; i < times; i++) await work(i);
};

it('the server keeps the newest sessions and messages, and drops the rest', async () => {
  const server = createTestServer({ keptRows: 100 });
  const { state } = server;
  await server.call('POST /v2/users/human', userV2('ada'));
  let newest = '';
  await repeat(250, async (i) => {
    await server.call('PUT /v2/users/human/ada', { email: { email: `a${i}@b.c`, sendCode: {} } });
    newest = (await server.call('POST /v2/sessions', {})).body.sessionId;
  });
  const messages = state.recent.notifications.list();
  expect(messages.length).toBeLessThanOrEqual(100);
  expect(messages.at(-1)).toMatchObject({ number: 250, to: 'a249@b.c' });
  expect(state.store.sessions.size).toBeLessThanOrEqual(100);
  expect(state.store.sessions.has(newest)).toBe(true);
});

it('the server keeps the newest deleted rows', async () => {
  const server = createTestServer({ keptRows: 20 });
  const { removed, deletedTargets } = server.state.store;
  const target = { restAsync: {}, timeout: '1s', endpoint: 'http://a.example' };
  await repeat(30, async (i) => {
    const project = (await server.call('POST /management/v1/projects', { name: `${i}` })).body;
    await server.call(`DELETE /management/v1/projects/${project.id}`);
    const machine = { userName: `${i}`, name: 'M' };
    const { userId } = (await server.call('POST /management/v1/users/machine', machine)).body;
    await server.call(`DELETE /v2/users/${userId}`);
    const { id } = (await server.call('POST /v2/actions/targets', { name: `${i}`, ...target })).body;
    await server.call(`DELETE /v2/actions/targets/${id}`);
    const kept = [removed.has(project.id), removed.has(userId), deletedTargets.has(id)];
    expect(kept).toEqual([true, true, true]);
  });
  expect(removed.size).toBeLessThanOrEqual(20);
  expect(deletedTargets.size).toBeLessThanOrEqual(20);
});

it('the server keeps a thousand access tokens per user and all personal ones', async () => {
  const server = createTestServer();
  const { state, tokens, users } = server;
  const client = state.store.users.get(users.nobody)!.userName;
  const secret = addSecret(state, users.nobody);
  const form = { grant_type: 'client_credentials', client_id: client, client_secret: secret };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  await repeat(1100, () => server.call('POST /oauth/v2/token', body, { as: 'anonymous', headers }));
  const kept = state.store.tokens.by('user', users.nobody);
  expect(kept).toHaveLength(1001);
  expect(kept[0]?.id).toBe(tokens.nobody);
});

/** `IDPORT_TEST_REQUESTS=1000000` makes this the long proof: so many requests, of each kind in turns. */
const requests = Number(process.env['IDPORT_TEST_REQUESTS'] ?? 4000);

it(
  'the server does not grow with the number of requests of any kind',
  async () => {
    // Fewer rows than usual are kept, because each search of events walks through all that was removed.
    const server = createTestServer({ keptRows: 5000 });
    const { call, importInto, state, users } = server;
    const secret = addSecret(state, users.nobody);
    await call('POST /v2/users/human', userV2('ada', { password: { password: 'Right-123' } }));
    const login = (password: string) =>
      call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, password: { password } } });
    const target = { restAsync: {}, timeout: '1s', endpoint: 'http://a.example' };
    const token = `grant_type=client_credentials&client_id=no-role&client_secret=${secret}`;
    /** Adds, and deletes again. */
    const passing = async (path: string, body: object) =>
      call(`DELETE ${path}/${(await call(`POST ${path}`, body)).body.id}`);
    const kinds: readonly ((i: number) => unknown)[] = [
      (i) => call('POST /v2/users/human', userV2(`u${i}`)),
      (i) => call(`DELETE /v2/users/u${i - 1}`),
      (i) => call('PUT /v2/users/human/ada', { email: { email: `a${i}@b.c`, sendCode: {} } }),
      () => login('Right-123'),
      () => login('wrong'),
      () => call('POST /v2/users', { query: { limit: 10 } }),
      (i) => call(`GET /nowhere/${i}`),
      () => call('POST /v2/users', '{"query"'),
      () => call('GET /auth/v1/users/me', undefined, { as: 'anonymous' }),
      (i) => passing('/v2/actions/targets', { name: `${i}`, ...target }),
      (i) => passing('/management/v1/projects', { name: `${i}` }),
      () => call('POST /oauth/v2/token', token, { as: 'anonymous' }),
      () => call('POST /admin/v1/events/_search', { limit: 10 }),
      (i) => importInto({ userMetadata: [{ id: 'ada', key: 'k', value: btoa(`${i}`) }] }),
      () => call('POST /admin/v1/import', { dataOrgsLocal: { path: 'x' }, timeout: '1m' }),
    ];
    await repeat(kinds.length * 2, (i) => kinds[i % kinds.length]!(i));
    collect();
    const before = process.memoryUsage().heapUsed;
    await repeat(requests, (i) => kinds[i % kinds.length]!(i));
    await server.settled();
    collect();
    expect(state.store.users.size).toBeLessThan(10);
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(150);
  },
  Math.max(120_000, requests * 10),
);

const long = 'x'.repeat(500_000);
const grown = async (work: (i: number) => unknown) => {
  await work(0);
  collect();
  const before = process.memoryUsage().heapUsed;
  await repeat(60, work);
  collect();
  return (process.memoryUsage().heapUsed - before) / 1e6;
};

it.each(['paths', 'bodies'])(
  'a server with large requests keeps only the beginning of long %s',
  async (what) => {
    const server = createFullServer({ rate: null, allowPrivateTargets: true });
    const target = { name: 't', restCall: {}, timeout: '1s', endpoint: 'http://127.0.0.1:1/' };
    const { id } = (await server.call('POST /v2/actions/targets', target)).body;
    const condition = { request: { service: 'zitadel.user.v2.UserService' } };
    await server.call('PUT /v2/actions/executions', { condition, targets: [id] });
    const send = (i: number) =>
      what === 'paths'
        ? server.call(`GET /nowhere/${i}${long}`)
        : server.call('POST /v2/users', { queries: [{ userNameQuery: { userName: `${i}${long}` } }] });
    expect(await grown(send)).toBeLessThan(5);
    const { requests } = (await server.control('GET requests')).body;
    expect(requests.at(-1).path.length).toBeLessThanOrEqual(4000);
    expect((await server.control('GET calls')).body.total).toBe(what === 'bodies' ? 61 : 0);
  },
);

it('a server with large requests keeps nothing for unknown organizations in queries', async () => {
  const server = createFullServer({ rate: null });
  const ask = (i: number) =>
    repeat(500, (j) => server.state.store.users.by('org', `organization ${i} ${j} that does not exist`));
  expect(await grown(ask)).toBeLessThan(5);
});

it('a server with large requests drops changes that the lists already show', async () => {
  const server = createFullServer({ rate: null, lag: 1000 });
  const { leftovers } = server.state.store;
  const write = async (i: number) => {
    await repeat(500, (j) =>
      leftovers.put({ id: `row-${j}`, text: `${i}-${j} `.padEnd(1000, 'x') } as never),
    );
    await server.clock.advance(10_000);
  };
  expect(await grown(write)).toBeLessThan(5);
});
