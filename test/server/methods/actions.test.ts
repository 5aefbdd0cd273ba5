/** Targets and executions of every generation, as a client sees them. */
import { describe, expect, it } from 'vitest';
import { type Answer, createFullServer } from '../../support/full-server.ts';

const webhook = {
  name: 'hook',
  restWebhook: { interruptOnError: true },
  endpoint: 'https://hooks.example/a',
  timeout: '10s',
};

const idOf = ({ body }: Answer): string => body.details?.[0]?.id;

describe('targets of version 2', () => {
  it('leave out what is default: a target that does not interrupt', async () => {
    const { call } = createFullServer();
    const { body } = await call('POST /v2/actions/targets', {
      name: 'calm',
      rest_call: { interrupt_on_error: false },
      endpoint: 'https://hooks.example/a',
      timeout: '1.5s',
    });
    const { target } = (await call(`GET /v2/actions/targets/${body.id}`)).body;
    expect(target).toMatchObject({ restCall: {}, timeout: '1.500s' });
    expect(target.restCall).toEqual({});
  });

  it('refuse private hosts unless that was allowed', async () => {
    const careful = createFullServer({ allowPrivateTargets: false });
    for (const endpoint of [
      'http://localhost:8090/hook',
      'http://127.0.0.1/',
      'http://[::1]/',
      'https://10.0.0.8/',
    ]) {
      const answer = await careful.call('POST /v2/actions/targets', { ...webhook, endpoint });
      expect(answer.body).toMatchObject({ code: 3, message: 'Errors.Target.DeniedURL (COMMAND-NcJUKo)' });
    }
    const open = await createFullServer().call('POST /v2/actions/targets', {
      ...webhook,
      endpoint: 'http://localhost:8090/hook',
    });
    expect(open.status).toBe(200);
  });

  it('change in parts; a new key comes only when it is asked for', async () => {
    const { call, clock } = createFullServer();
    const { id, signingKey } = (await call('POST /v2/actions/targets', webhook)).body;
    await clock.advance(1000);
    const renamed = await call(`POST /v2/actions/targets/${id}`, { name: 'other' });
    expect(renamed.body).toEqual({ changeDate: '2026-01-01T00:00:01Z' });
    const rotated = await call(`POST /v2/actions/targets/${id}`, { expirationSigningKey: '0s' });
    expect(rotated.body.signingKey).toMatch(/^[A-Za-z0-9]{36}$/);
    expect(rotated.body.signingKey).not.toBe(signingKey);
    const { target } = (await call(`GET /v2/actions/targets/${id}`)).body;
    expect(target).toMatchObject({ name: 'other', signingKey: rotated.body.signingKey, timeout: '10s' });
    const later = await call(`POST /v2/actions/targets/${id}`, { expirationSigningKey: '5s' });
    expect(later.body.message).toMatch(/ExpirationSigningKey: value must equal 0s/);
  });

  it('are searched by name and id, newest first, in pages', async () => {
    const { call, clock } = createFullServer();
    const ids: string[] = [];
    for (const name of ['alpha', 'beta', 'alphabet']) {
      ids.push((await call('POST /v2/actions/targets', { ...webhook, name })).body.id);
      await clock.advance(10);
    }
    const names = async (request: object): Promise<string[]> =>
      (await call('POST /v2/actions/targets/search', request)).body.targets?.map(
        ({ name }: { name: string }) => name,
      ) ?? [];
    expect(await names({})).toEqual(['alphabet', 'beta', 'alpha']);
    expect(await names({ pagination: { asc: true, limit: 1, offset: '1' } })).toEqual(['beta']);
    expect(await names({ sortingColumn: 'TARGET_FIELD_NAME_NAME', pagination: { asc: true } })).toEqual([
      'alpha',
      'alphabet',
      'beta',
    ]);
    const byName = { targetNameFilter: { targetName: 'alpha' } };
    expect(await names({ filters: [byName] })).toEqual(['alpha']);
    const method = 'TEXT_FILTER_METHOD_STARTS_WITH_IGNORE_CASE';
    expect(await names({ filters: [{ targetNameFilter: { targetName: 'ALPHA', method } }] })).toEqual([
      'alphabet',
      'alpha',
    ]);
    expect(await names({ filters: [{ inTargetIdsFilter: { targetIds: [ids[1]] } }] })).toEqual(['beta']);
    const all = await call('POST /v2/actions/targets/search', { pagination: { limit: 2 } });
    expect(all.body.pagination).toEqual({ totalResult: '3', appliedLimit: '2' });
    const tooMany = await call('POST /v2/actions/targets/search', { pagination: { limit: 1001 } });
    expect(idOf(tooMany)).toBe('QUERY-4M0fs');
    expect((await call('POST /v2/actions/targets/search', { filters: [{}] })).body.message).toMatch(
      /TargetSearchFilter\.Filter: value is required/,
    );
  });
});

describe('executions of version 2', () => {
  it('refuse a target that does not exist, and lose one that is deleted', async () => {
    const { call } = createFullServer();
    const condition = { event: { event: 'user.human.added' } };
    const answer = await call('PUT /v2/actions/executions', { condition, targets: ['42'] });
    expect(answer).toMatchObject({ status: 404, body: { message: 'Target not found (COMMAND-17e8fq1ggk)' } });
    const { id } = (await call('POST /v2/actions/targets', webhook)).body;
    await call('PUT /v2/actions/executions', { condition, targets: [id] });
    await call(`DELETE /v2/actions/targets/${id}`);
    expect((await call('POST /v2/actions/executions/search', {})).body.executions).toBeUndefined();
  });

  it('are searched by condition, kind and target', async () => {
    const { call } = createFullServer();
    const one = (await call('POST /v2/actions/targets', webhook)).body.id;
    const two = (await call('POST /v2/actions/targets', { ...webhook, name: 'two' })).body.id;
    const conditions = [
      { request: { service: 'zitadel.session.v2.SessionService' } },
      { response: { service: 'zitadel.session.v2.SessionService' } },
      { event: { group: 'user' } },
    ];
    for (const condition of conditions) {
      const targets = condition === conditions[0] ? [one] : [two];
      await call('PUT /v2/actions/executions', { condition, targets });
    }
    const find = async (filter: object): Promise<object[]> =>
      (await call('POST /v2/actions/executions/search', { filters: [filter] })).body.executions?.map(
        ({ condition }: { condition: object }) => condition,
      ) ?? [];
    expect(await find({ inConditionsFilter: { conditions: [conditions[1]] } })).toEqual([conditions[1]]);
    expect(await find({ executionTypeFilter: { executionType: 'EXECUTION_TYPE_EVENT' } })).toEqual([
      conditions[2],
    ]);
    expect(await find({ targetFilter: { targetId: one } })).toEqual([conditions[0]]);
  });
});

describe('the first generation', () => {
  it('reads, changes, searches and deletes targets; a second delete is a 404', async () => {
    const { call } = createFullServer();
    const { id } = (await call('POST /v3alpha/targets', webhook)).body;
    await call(`PUT /v3alpha/targets/${id}`, { timeout: '3s' });
    expect((await call(`GET /v3alpha/targets/${id}`)).body.target).toMatchObject({
      targetId: id,
      timeout: '3s',
      restWebhook: { interruptOnError: true },
      details: { sequence: '2' },
    });
    const found = await call('POST /v3alpha/targets/search', {
      queries: [{ targetNameQuery: { targetName: 'ho', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }],
    });
    expect(found.body).toMatchObject({ details: { totalResult: '1' }, result: [{ targetId: id }] });
    expect((await call(`DELETE /v3alpha/targets/${id}`)).status).toBe(200);
    expect(idOf(await call(`DELETE /v3alpha/targets/${id}`))).toBe('COMMAND-k4s7ucu0ax');
  });

  it('includes the targets of another execution, and deletes executions by condition', async () => {
    const { call } = createFullServer();
    const { id } = (await call('POST /v3alpha/targets', webhook)).body;
    const all = { request: { service: 'service.session.v2.SessionService' } };
    const one = { request: { service: 'service.user.v2.UserService' } };
    const early = await call('PUT /v3alpha/executions', { condition: one, targets: [{ include: all }] });
    expect(idOf(early)).toBe('COMMAND-slgj0l4cdz');
    await call('PUT /v3alpha/executions', { condition: all, targets: [{ target: id }] });
    await call('PUT /v3alpha/executions', { condition: one, targets: [{ include: all }] });
    const found = await call('POST /v3alpha/executions/search', {
      queries: [{ includeQuery: { include: 'request/zitadel.session.v2.SessionService' } }],
    });
    expect(found.body.result).toMatchObject([{ condition: one, targets: [{ include: all }] }]);
    expect((await call('DELETE /v3alpha/executions', { condition: one })).status).toBe(200);
    expect(idOf(await call('DELETE /v3alpha/executions', { condition: one }))).toBe('COMMAND-suq2upd3rt');
  });

  it('refuses an execution without targets and a target without a timeout', async () => {
    const { call } = createFullServer();
    const empty = await call('PUT /v3alpha/executions', {
      condition: { request: { all: true } },
      targets: [],
    });
    expect(idOf(empty)).toBe('COMMAND-56bteot2uj');
    const { timeout: _, ...timeless } = webhook;
    expect((await call('POST /v3alpha/targets', timeless)).body.message).toBe(
      'invalid CreateTargetRequest.Timeout: value is required',
    );
  });

  it('asks for the feature, which the second generation never does', async () => {
    const { call } = createFullServer({ actions: false });
    expect(await call('POST /v3alpha/targets', webhook)).toMatchObject({
      status: 400,
      body: { code: 9, message: 'Errors.action.NotEnabled (SCHEMA-141bwx3lef)' },
    });
    expect((await call('POST /v2/actions/targets', webhook)).status).toBe(200);
  });
});

describe('public keys of a target', () => {
  it('are added, switched and removed; one at most is active', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { call } = createFullServer();
    const { id } = (await call('POST /v2/actions/targets', webhook)).body;
    const path = `/v2/actions/targets/${id}/publickeys`;
    const add = async (): Promise<string> => {
      const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
        type: 'spki',
        format: 'pem',
      });
      return (await call(`POST ${path}`, { publicKey: Buffer.from(pem).toString('base64') })).body.keyId;
    };
    const [one, two] = [await add(), await add()];
    await call(`POST ${path}/${one}/activate`);
    await call(`POST ${path}/${two}/activate`);
    const { publicKeys } = (await call(`POST ${path}/search`, { filters: [{ activeFilter: true }] })).body;
    expect(publicKeys).toMatchObject([
      { keyId: two, active: true, fingerprint: expect.stringMatching(/^SHA256:/) },
    ]);
    expect((await call(`DELETE ${path}/${two}`)).status).toBe(400);
    await call(`POST ${path}/${two}/deactivate`);
    expect((await call(`DELETE ${path}/${two}`)).body).toHaveProperty('deletionDate');
    expect((await call(`POST ${path}`, { publicKey: 'bm8ga2V5' })).status).toBe(400);
    expect((await call(`POST ${path}/${two}/activate`)).status).toBe(404);
  });
});
