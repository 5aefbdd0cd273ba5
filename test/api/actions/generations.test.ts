/** The actions API of both generations, and which one is asked. */
import { describe, expect, it } from 'vitest';
import { createActionsApi, type Generation, type TargetSettings } from '../../../src/api/actions/index.ts';
import { createClient } from '../../../src/api/client.ts';
import { fixedToken } from '../../../src/api/credentials.ts';
import { createFakeClock } from '../../support/clock.ts';
import { playScript, refusal, type Step } from '../../support/script.ts';

const settings: TargetSettings = {
  name: 'audit',
  endpoint: 'https://hooks.example/audit',
  timeoutMs: 1500,
  kind: 'webhook',
  interruptOnError: true,
  payload: 'json',
};
const condition = { request: { method: '/zitadel.user.v2.UserService/AddHumanUser' } };
const unknownPath: Step = { status: 404, body: { code: 5, message: 'Not Found' } };

function setup(which: Generation | 'auto', ...steps: Step[]) {
  const clock = createFakeClock();
  const { send, sent } = playScript(steps, clock);
  const credentials = fixedToken('token');
  const client = createClient({ url: 'https://id.example', credentials, clock, emit: () => {}, send });
  return {
    api: createActionsApi(client, which),
    calls: () => sent.map(({ request: { method, url } }) => `${method} ${new URL(url).pathname}`),
    bodies: () => sent.map(({ request }) => request.body && JSON.parse(request.body)),
  };
}

it('the actions API v2 rotates a signing key, and reports a missing new key', async () => {
  const { api, bodies, calls } = setup('v2', { body: { signingKey: 'new' } }, { body: {} });
  expect(await api.rotateKey('7/8')).toBe('new');
  expect(calls()).toEqual(['POST /v2/actions/targets/7%2F8']);
  expect(bodies()).toEqual([{ expirationSigningKey: '0s' }]);
  await expect(api.rotateKey('7')).rejects.toMatchObject({ code: 'actions:no-key' });
});

it('the actions API v2 lists targets page by page', async () => {
  const stored = { name: 'n', timeout: '10s', endpoint: 'https://e', payloadType: 'PAYLOAD_TYPE_JWE' };
  const page = (from: number, count: number): Step => ({
    body: {
      pagination: { totalResult: '120', appliedLimit: '100' },
      targets: Array.from({ length: count }, (_, i) => ({ id: `${from + i}`, restCall: {}, ...stored })),
    },
  });
  const { api, bodies } = setup('v2', page(0, 100), page(100, 20));
  const targets = await api.listTargets();
  expect(targets).toHaveLength(120);
  expect(targets.at(-1)).toEqual({
    id: '119',
    name: 'n',
    endpoint: 'https://e',
    timeoutMs: 10_000,
    kind: 'call',
    interruptOnError: false,
    payload: 'jwe',
    createdAt: '',
    changedAt: '',
    signingKey: undefined,
  });
  expect(bodies()).toMatchObject([{ pagination: { offset: '0' } }, { pagination: { offset: '100' } }]);
});

it('the actions API v3alpha lists executions with their includes, also under the key Condition', async () => {
  const include = { request: { all: true } };
  const entries = [
    { Condition: condition, targets: [{ target: '7' }, { include }] },
    { condition: include, targets: [] },
  ];
  const { api } = setup('v3alpha', { body: { details: { totalResult: '2' }, result: entries } });
  expect(await api.listExecutions()).toEqual([
    { condition, targets: ['7'], includes: [include] },
    { condition: include, targets: [], includes: [] },
  ]);
});

it('the actions API v3alpha refuses what it does not support', async () => {
  const { api, calls } = setup('v3alpha', {});
  const code = 'actions:not-supported';
  await expect(api.rotateKey('7')).rejects.toMatchObject({ code, hint: /create --signing-key-file=/ });
  await expect(api.createTarget({ ...settings, payload: 'jwt' })).rejects.toMatchObject({ code });
  expect(calls()).toEqual([]);
});

describe('the actions API auto', () => {
  it('tries v2 first, continues at 404 and keeps the generation that answered', async () => {
    const made = { status: 201, body: { id: '7' } };
    const { api, calls } = setup('auto', unknownPath, made, {});
    expect(api.generation).toBeUndefined();
    expect(await api.createTarget(settings)).toEqual({ id: '7', signingKey: undefined });
    expect(api.generation).toBe('v3alpha');
    await api.setExecution(condition, ['7']);
    expect(calls()).toEqual(['POST /v2/actions/targets', 'POST /v3alpha/targets', 'PUT /v3alpha/executions']);
  });

  it('takes a 404 page of a proxy for a missing path', async () => {
    const { api } = setup('auto', { status: 404, body: '<html><title>404 Not Found</title></html>' }, {});
    await api.deleteTarget('7');
    expect(api.generation).toBe('v3alpha');
  });

  it.each([
    [
      'the service knows the path and refuses',
      refusal(404, 5, 'COMMAND-17e8fq1ggk', 'Target not found'),
      { id: 'COMMAND-17e8fq1ggk' },
    ],
    [
      'the host is wrong',
      { status: 404, body: { code: 5, message: 'unable to set instance using origin x' } },
      { status: 404 },
    ],
    ['the token is wrong', refusal(401, 16, 'AUTH-7fs1e', 'Errors.Token.Invalid'), { status: 401 }],
  ])('does not try another generation if %s', async (_, step, error) => {
    const { api, calls } = setup('auto', step);
    await expect(api.setExecution(condition, ['7'])).rejects.toMatchObject(error);
    expect(calls()).toHaveLength(1);
  });

  it('reports that no generation is available, and may be retried', async () => {
    const { api, calls } = setup('auto', unknownPath);
    await expect(api.listTargets()).rejects.toMatchObject({
      code: 'actions:none',
      message: 'https://id.example has no actions API (asked for v2, v3alpha)',
    });
    await expect(api.listExecutions()).rejects.toMatchObject({ code: 'actions:none' });
    expect(calls()).toHaveLength(4);
  });
});

const unknownMethod = refusal(404, 5, 'COMMAND-vysplsevt8', 'Execution condition is invalid');
const unknownService = refusal(404, 5, 'COMMAND-qu6dfhiioq', 'Execution condition is invalid');
const named = (brand: string) => ({ request: { method: `/${brand}.user.v2.UserService/AddHumanUser` } });
const whole = (brand: string) => ({ response: { service: `${brand}.user.v2.UserService` } });

it.each([
  [unknownMethod, named('service'), named('zitadel')],
  [unknownMethod, named('zitadel'), named('service')],
  [unknownService, whole('service'), whole('zitadel')],
])(
  'the package name of a method is retried under the other brand if the service does not know it',
  async (unknown, given, other) => {
    const { api, bodies } = setup('v2', unknown, {}, unknown, {});
    await api.setExecution(given, ['7']);
    await api.clearExecution(given);
    expect(bodies()).toEqual([
      { condition: given, targets: ['7'] },
      { condition: other, targets: ['7'] },
      { condition: given, targets: [] },
      { condition: other, targets: [] },
    ]);
  },
);

it('the package name of a method that is unknown under both brands is reported as given', async () => {
  const { api, calls } = setup('v2', unknownMethod);
  await expect(api.setExecution(named('service'), ['7'])).rejects.toMatchObject({
    id: 'COMMAND-vysplsevt8',
    hint: expect.stringContaining('no such method'),
  });
  expect(calls()).toHaveLength(2);
  const other = setup('v2', unknownMethod);
  await expect(other.api.setExecution({ request: { method: '/acme.v1.A/B' } }, [])).rejects.toThrow(
    'COMMAND-vysplsevt8',
  );
  expect(other.calls()).toHaveLength(1);
});
