/** Data of the first major version: in every shape in which it comes, to services that take it in either form. */
import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { ImportRequest } from '../../../src/flows/import/run.ts';
import { createTestFolder } from '../../support/folder.ts';
import { countsOf, inRequestsOf, runImport, createService, type Fault } from '../../support/service.ts';
import { sampleUser, userNames } from '../../support/users-run.ts';
import { createTestServer } from '../../support/full-server.ts';

type Form = 'object' | 'text' | 'either' | 'neither';

/** Remembers the bodies of imports, and answers as a service would that takes the data in one form only. */
function serviceThatTakes(form: Form) {
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
  app.request = (path, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    if (!body.startsWith('{"data_orgsv1":"')) return request(path, init);
    const { data_orgsv1: data, ...others } = JSON.parse(body) as { data_orgsv1: string };
    return request(path, { ...init, body: JSON.stringify({ data_orgsv1: JSON.parse(data), ...others }) });
  };
  return { service: createService({ fault, server }), bodies };
}

/** One organization of the first form with these users, in the shape of an export if not said otherwise. */
async function run(
  form: Form,
  humanUsers: readonly object[],
  overrides: Partial<ImportRequest> = {},
  shape: (org: object) => unknown = (org) => ({ orgs: [org] }),
) {
  const { service, bodies } = serviceThatTakes(form);
  const { orgId } = service.server;
  const org = { orgId, iamPolicy: { orgId, userLoginMustBeDomain: true }, humanUsers };
  const end = await runImport(service, createTestFolder(), JSON.stringify(shape(org)), overrides);
  const lost = service.events.filter((event) => event.type === 'notice' && event.code === 'copy:lost');
  return { counts: countsOf(end), lost, bodies, orgId };
}

const two = [sampleUser('ann'), sampleUser('bob')];

describe('import data of the first form (data_orgsv1)', () => {
  it.each(['object', 'either'] as const)('is an object for a service that accepts %s', async (form) => {
    const { counts, bodies, orgId } = await run(form, two);
    expect(counts).toMatchObject({ read: 2, written: 2 });
    for (const body of bodies.map((text) => JSON.parse(text))) {
      expect(Object.keys(body).toSorted()).toEqual(['data_orgsv1', 'timeout']);
      expect(body.data_orgsv1.orgs[0].orgId).toBe(orgId);
    }
  });

  it('is cut as an escaped string below the size limit', async () => {
    const profile = { firstName: '"'.repeat(90), lastName: '\\'.repeat(90) };
    const users = userNames(40).map((name) => sampleUser(name, { profile }));
    const size = { ...inRequestsOf(5000), jsonBytes: 4000 };
    const { counts, bodies } = await run('text', users, { size });
    expect(counts).toMatchObject({ written: 40 });
    expect(Math.max(...bodies.slice(1).map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(4000);
  });

  it('is sent as a string after one refusal of the object', async () => {
    const users = userNames(10).map((name) => sampleUser(name));
    const { counts, bodies, orgId } = await run('text', users, { size: inRequestsOf(4) });
    expect(counts).toMatchObject({ read: 10, written: 10 });
    const forms = bodies.map((text) => typeof JSON.parse(text).data_orgsv1);
    expect(forms).toEqual(['object', ...forms.slice(1).map(() => 'string')]);
    expect(JSON.parse(JSON.parse(bodies[1]!).data_orgsv1)).toMatchObject({ orgs: [{ orgId }] });
  });

  it('rejects every user by name if the service accepts no form', async () => {
    expect((await run('neither', two)).counts).toMatchObject({ read: 2, written: 0, rejected: 2 });
  });

  const shapes: [string, (org: object) => unknown][] = [
    ['an export', (org) => ({ orgs: [org], lost: null })],
    ['a list of organizations', (org) => [org]],
    ['one organization', (org) => org],
    ['a request in camel case', (org) => ({ dataOrgsv1: { orgs: [org] }, timeout: '5m' })],
    ['a request in snake case', (org) => ({ timeout: '5m', data_orgsv1: { orgs: [org] } })],
  ];
  it.each(shapes)('is read from %s', async (_, shape) => {
    const { counts, lost, bodies } = await run('either', two, {}, shape);
    expect([counts, lost]).toMatchObject([{ read: 2, written: 2 }, []]);
    expect(bodies.every((body) => body.startsWith('{"data_orgsv1":'))).toBe(true);
  });
});

it.each([
  ['is read as an export is', false, '{"dataOrgs":'],
  ['is sent as data of the first form where the flag says so', true, '{"data_orgsv1":'],
])('a bare list of organizations %s', async (_, firstForm, beginning) => {
  const { counts, bodies } = await run('either', two, { firstForm }, (org) => [
    { ...org, iamPolicy: undefined },
  ]);
  expect(counts).toMatchObject({ written: 2 });
  expect(bodies[0]).toContain(beginning);
});

it.each([[], {}, [{ humanUsers: [] }], { humanUsers: [] }, [1], 'text'])(
  'a bare list of organizations is not assumed for %j',
  async (value) => {
    await expect(run('either', [], {}, () => value)).rejects.toMatchObject({ code: 'input:org' });
  },
);
