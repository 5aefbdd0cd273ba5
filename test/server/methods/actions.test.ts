/** Targets and executions of every generation, as a client sees them. */
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFullServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(() => {
  server = createFullServer();
});

const webhook = {
  name: 'hook',
  restWebhook: { interruptOnError: true },
  endpoint: 'https://hooks.example/a',
  timeout: '10s',
};
const v2 = '/v2/actions/targets';
const add = async (more: object = {}) => (await server.call(`POST ${v2}`, { ...webhook, ...more })).body;
const targetOf = async (id: string) => (await server.call(`GET ${v2}/${id}`)).body.target;

describe('targets of v2', () => {
  it('omit default values such as a missing interrupt', async () => {
    const kind = { restWebhook: undefined, rest_call: { interrupt_on_error: false } };
    const target = await targetOf((await add({ ...kind, timeout: '1.0005s' })).id);
    expect(target).toMatchObject({ restCall: {}, timeout: '1.000500s' });
    expect(target.restCall).toEqual({});
  });

  it.each(['http://localhost:8090/hook', 'http://127.0.0.1/', 'http://[::1]/', 'https://10.0.0.8/'])(
    'accept %s only if private hosts are allowed',
    async (endpoint) => {
      expect(await add({ endpoint })).toHaveProperty('id');
      server = createFullServer({ allowPrivateTargets: false });
      const denied = { code: 3, message: 'Errors.Target.DeniedURL (COMMAND-NcJUKo)' };
      expect(await add({ endpoint })).toMatchObject(denied);
    },
  );

  it('are updated in parts, and get a new key only on request', async () => {
    const { id, signingKey } = await add();
    const change = async (body: object) => (await server.call(`POST ${v2}/${id}`, body)).body;
    await server.clock.advance(1000);
    expect(await change({ name: 'other' })).toEqual({ changeDate: '2026-01-01T00:00:01Z' });
    const rotated = await change({ expirationSigningKey: '0s' });
    expect(rotated.signingKey).toMatch(/^[A-Za-z0-9]{36}$/);
    expect(rotated.signingKey).not.toBe(signingKey);
    const kept = { name: 'other', signingKey: rotated.signingKey, timeout: '10s' };
    expect(await targetOf(id)).toMatchObject(kept);
    const { message } = await change({ expirationSigningKey: '5s' });
    expect(message).toMatch('ExpirationSigningKey: value must equal 0s');
  });

  describe('search', () => {
    beforeEach(async () => {
      for (const name of ['alpha', 'beta', 'alphabet']) {
        await add({ name });
        await server.clock.advance(10);
      }
    });
    const search = (request: object) => server.call(`POST ${v2}/search`, request);
    const named = (targetName: string, method?: string) => ({ targetNameFilter: { targetName, method } });

    it.each([
      [{}, ['alphabet', 'beta', 'alpha']],
      [{ pagination: { asc: true, limit: 1, offset: '1' } }, ['beta']],
      [{ sortingColumn: 'TARGET_FIELD_NAME_NAME', pagination: { asc: true } }, ['alpha', 'alphabet', 'beta']],
      [{ filters: [named('ALPHA', 'TEXT_FILTER_METHOD_STARTS_WITH_IGNORE_CASE')] }, ['alphabet', 'alpha']],
    ])('by %j', async (request, expected) => {
      const { body } = await search(request);
      expect(body.targets.map(({ name }: { name: string }) => name)).toEqual(expected);
    });

    it('refuses an empty filter', async () => {
      const { message } = (await search({ filters: [{}] })).body;
      expect(message).toMatch('TargetSearchFilter.Filter: value is required');
    });
  });
});

describe('executions of v2', () => {
  const put = (condition: object, ...targets: string[]) =>
    server.call('PUT /v2/actions/executions', { condition, targets });
  const find = async (...filters: object[]) =>
    (await server.call('POST /v2/actions/executions/search', { filters })).body.executions?.map(
      ({ condition }: { condition: object }) => condition,
    );

  it('lose a deleted target', async () => {
    const { id } = await add();
    await put({ event: { event: 'user.human.added' } }, id);
    await server.call(`DELETE ${v2}/${id}`);
    expect(await find()).toBeUndefined();
  });

  it('are searched by condition, type and target', async () => {
    const [one, two] = [(await add()).id, (await add({ name: 'two' })).id];
    const service = 'zitadel.session.v2.SessionService';
    const [request, response, event] = [
      { request: { service } },
      { response: { service } },
      { event: { group: 'user' } },
    ];
    await put(request, one);
    for (const condition of [response, { event: { group: 'user.*' } }]) await put(condition, two);
    expect(await find({ inConditionsFilter: { conditions: [response] } })).toEqual([response]);
    expect(await find({ executionTypeFilter: { executionType: 'EXECUTION_TYPE_EVENT' } })).toEqual([event]);
    expect(await find({ targetFilter: { targetId: one } })).toEqual([request]);
  });
});

describe('actions of v3alpha', () => {
  const targets = '/v3alpha/targets';
  const executions = '/v3alpha/executions';
  const post = async (body: object = webhook) => (await server.call(`POST ${targets}`, body)).body;

  it('read, update, search and delete targets, and answer 404 to a second delete', async () => {
    const { id } = await post();
    await server.call(`PUT ${targets}/${id}`, { timeout: '3s' });
    expect((await server.call(`GET ${targets}/${id}`)).body.target).toMatchObject({
      targetId: id,
      timeout: '3s',
      restWebhook: { interruptOnError: true },
      details: { sequence: '2' },
    });
    const found = await server.call(`POST ${targets}/search`, {});
    expect(found.body).toMatchObject({ details: { totalResult: '1' }, result: [{ targetId: id }] });
    expect((await server.call(`DELETE ${targets}/${id}`)).status).toBe(200);
    expect((await server.call(`DELETE ${targets}/${id}`)).errorId).toBe('COMMAND-k4s7ucu0ax');
  });

  it('include the targets of another execution, and delete executions by condition', async () => {
    const { id } = await post();
    const put = (condition: object, target: object) =>
      server.call(`PUT ${executions}`, { condition, targets: [target] });
    const all = { request: { service: 'service.session.v2.SessionService' } };
    const one = { request: { service: 'service.user.v2.UserService' } };
    expect((await put(one, { include: all })).errorId).toBe('COMMAND-slgj0l4cdz');
    await put(all, { target: id });
    await put(one, { include: all });
    expect((await server.call(`POST ${executions}/search`, {})).body.result).toMatchObject([
      { Condition: one, targets: [{ include: all }] },
      { Condition: all, targets: [{ target: id }] },
    ]);
    const remove = () => server.call(`DELETE ${executions}`, { condition: one });
    expect((await remove()).status).toBe(200);
    expect((await remove()).errorId).toBe('COMMAND-suq2upd3rt');
  });

  it('refuse an execution without targets and a target without a timeout', async () => {
    const empty = { condition: { request: { all: true } }, targets: [] };
    expect((await server.call(`PUT ${executions}`, empty)).errorId).toBe('COMMAND-56bteot2uj');
    const { message } = await post({ ...webhook, timeout: undefined });
    expect(message).toBe('invalid CreateTargetRequest.Timeout: value is required');
  });

  it('require the feature flag, unlike v2', async () => {
    server = createFullServer({ actions: false });
    expect(await server.call(`POST ${targets}`, webhook)).toMatchObject({
      status: 400,
      body: { code: 9, message: 'Errors.action.NotEnabled (SCHEMA-141bwx3lef)' },
    });
    expect(await add()).toHaveProperty('id');
  });
});

it('public keys of a target are added, activated and deleted, with at most one active', async () => {
  const path = `${v2}/${(await add()).id}/publickeys`;
  const ask = (what: string) => server.call(what.replace(' ', ` ${path}/`));
  const addKey = async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64');
    return (await server.call(`POST ${path}`, { publicKey: pem })).body.keyId;
  };
  const [one, two] = [await addKey(), await addKey()];
  for (const key of [one, two]) await ask(`POST ${key}/activate`);
  const active = await server.call(`POST ${path}/search`, { filters: [{ activeFilter: true }] });
  expect(active.body.publicKeys).toMatchObject([{ keyId: two, active: true, fingerprint: /^SHA256:/ }]);
  expect((await ask(`DELETE ${two}`)).errorId).toBe('ErrPublicKeyDeleteActiveKey');
  await ask(`POST ${two}/deactivate`);
  expect((await ask(`DELETE ${two}`)).body).toHaveProperty('deletionDate');
  expect((await server.call(`POST ${path}`, { publicKey: 'bm8ga2V5' })).errorId).toBe('ErrPublicKeyFormat');
  expect((await ask(`POST ${two}/activate`)).errorId).toBe('COMMAND-SAF4g');
});
