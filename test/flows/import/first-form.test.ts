/** Data of the first major version: in every shape in which it comes, to services that take it in either form. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { ImportEnd } from '../../../src/flows/import/import.ts';
import { createTestFolder } from '../../support/folder.ts';
import { human, runImport } from '../../support/import-run.ts';
import { createTestServer } from '../../support/full-server.ts';
import { createService, type Fault, type Service } from '../../support/service.ts';

let folder: string;
beforeEach(() => {
  folder = createTestFolder();
});

const sampleUsers = (end: ImportEnd) => end.tally.lists.get('humanUsers');
const orgOf = (orgId: string, ...names: string[]) => ({
  orgId,
  iamPolicy: { orgId, userLoginMustBeDomain: true },
  humanUsers: names.map((name) => human(name)),
});

/** Remembers the bodies of imports, and answers as a service would that takes the data in one form only. */
function serviceThatTakes(form: 'object' | 'text' | 'either' | 'neither'): {
  service: Service;
  bodies: string[];
} {
  const bodies: string[] = [];
  const fault = ({ url, body = '' }: ApiRequest): Fault | undefined => {
    if (!url.endsWith('/admin/v1/import')) return undefined;
    bodies.push(body);
    const found = body.includes('"data_orgsv1":"') ? 'text' : 'object';
    if (form === 'either' || form === found) return undefined;
    const message = `proto: (line 1:16): unexpected token ${found === 'text' ? '"' : '{'}`;
    return { status: 400, body: { code: 3, message } };
  };
  const server = createTestServer();
  const { app } = server;
  const request = app.request.bind(app);
  // The reference server takes objects alone, as the service does; older services took texts.
  if (form === 'text') {
    app.request = (path, init) => {
      const body = typeof init?.body === 'string' ? init.body : '';
      const text = body.startsWith('{"data_orgsv1":"') ? withObject(body) : body;
      return request(path, body === '' ? init : { ...init, body: text });
    };
  }
  return { service: createService({ fault, server }), bodies };
}

function withObject(body: string): string {
  const { data_orgsv1: data, ...others } = JSON.parse(body) as { data_orgsv1: string };
  return JSON.stringify({ data_orgsv1: JSON.parse(data), ...others });
}

describe('data of the first form', () => {
  it.each(['object', 'either'] as const)('goes as an object to a service that takes %s', async (form) => {
    const { service, bodies } = serviceThatTakes(form);
    const body = JSON.stringify({ orgs: [orgOf(service.server.orgId, 'ann', 'bob')] });
    expect(sampleUsers(await runImport(service, folder, body))).toMatchObject({ total: 2, created: 2 });
    for (const text of bodies) {
      expect(Object.keys(JSON.parse(text)).toSorted()).toEqual(['data_orgsv1', 'timeout']);
      expect(JSON.parse(text).data_orgsv1.orgs[0].orgId).toBe(service.server.orgId);
    }
  });

  it('as a text is no larger than what stands before the service takes, quotes and all', async () => {
    const { service, bodies } = serviceThatTakes('text');
    const profile = { firstName: '"'.repeat(90), lastName: '\\'.repeat(90) };
    const humanUsers = Array.from({ length: 40 }, (_, i) => human(`${i}`, { profile }));
    const body = JSON.stringify({ orgs: [{ ...orgOf(service.server.orgId), humanUsers }] });
    const size = { bytes: 4_190_000, jsonBytes: 4000, most: 5000, seconds: 30 };
    expect(sampleUsers(await runImport(service, folder, body, { size }))).toMatchObject({ created: 40 });
    expect(Math.max(...bodies.slice(1).map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(4000);
  });

  it('goes as a text where the service wants one, after one refusal', async () => {
    const { service, bodies } = serviceThatTakes('text');
    const names = Array.from({ length: 10 }, (_, i) => `u-${i}`);
    const body = JSON.stringify({ orgs: [orgOf(service.server.orgId, ...names)] });
    const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 4, seconds: 30 };
    expect(sampleUsers(await runImport(service, folder, body, { size }))).toMatchObject({
      total: 10,
      created: 10,
    });
    const objects = bodies.filter((text) => typeof JSON.parse(text).data_orgsv1 === 'object');
    expect([objects.length, bodies.length > 3]).toEqual([1, true]);
    expect(JSON.parse(JSON.parse(bodies[1]!).data_orgsv1)).toMatchObject({
      orgs: [{ orgId: service.server.orgId }],
    });
  });

  it('that no form helps ends with every user named', async () => {
    const { service } = serviceThatTakes('neither');
    const body = JSON.stringify({ orgs: [orgOf(service.server.orgId, 'ann', 'bob')] });
    expect(sampleUsers(await runImport(service, folder, body))).toMatchObject({
      total: 2,
      created: 0,
      failed: 2,
    });
  });

  const shapes: [string, (org: object) => unknown][] = [
    ['an export', (org) => ({ orgs: [org] })],
    ['a list of organizations', (org) => [org]],
    ['one organization', (org) => org],
    ['a request in camel case', (org) => ({ dataOrgsv1: { orgs: [org] }, timeout: '5m' })],
    ['a request in snake case', (org) => ({ timeout: '5m', data_orgsv1: { orgs: [org] } })],
  ];
  it.each(shapes)('may come as %s', async (_, shape) => {
    const { service, bodies } = serviceThatTakes('either');
    const text = JSON.stringify(shape(orgOf(service.server.orgId, 'ann', 'bob')));
    expect(sampleUsers(await runImport(service, folder, text))).toMatchObject({ total: 2, created: 2 });
    expect(bodies.every((body) => body.startsWith('{"data_orgsv1":'))).toBe(true);
  });

  it('is sent as such where only the flag says so', async () => {
    const { service, bodies } = serviceThatTakes('either');
    const { iamPolicy: _, ...org } = orgOf(service.server.orgId, 'ann');
    await runImport(service, folder, JSON.stringify([org]), { firstForm: true });
    expect(bodies[0]).toContain('{"data_orgsv1":');
  });
});

describe('a list of organizations alone', () => {
  it('of the second form is read as an export is', async () => {
    const { service, bodies } = serviceThatTakes('either');
    const { iamPolicy: _, ...org } = orgOf(service.server.orgId, 'ann', 'bob');
    expect(sampleUsers(await runImport(service, folder, JSON.stringify([org])))).toMatchObject({
      created: 2,
    });
    expect(bodies[0]).toContain('{"dataOrgs":');
  });

  it.each(['[]', '{}', '[{"humanUsers":[]}]', '{"humanUsers":[]}', '[1]', '"text"'])(
    'is told from %s, which has none',
    async (text) => {
      const { service } = serviceThatTakes('either');
      await expect(runImport(service, folder, text)).rejects.toMatchObject({ code: 'input:org' });
    },
  );
});
