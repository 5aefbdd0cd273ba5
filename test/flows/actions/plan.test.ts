import { expect, it } from 'vitest';
import type { RegisteredTarget } from '../../../src/api/actions/index.ts';
import { planActions, type ServiceState, readActionsFile } from '../../../src/flows/actions/plan.ts';
import { actionsFile } from '../../../src/wire/actions-file.ts';

const target = (id: string, name: string, changes: Partial<RegisteredTarget> = {}): RegisteredTarget => ({
  id,
  name,
  endpoint: `https://hooks.example/${name}`,
  timeoutMs: 10_000,
  kind: 'webhook',
  interruptOnError: false,
  payload: 'json',
  createdAt: '',
  changedAt: '',
  signingKey: 'canary-key',
  ...changes,
});
const wanted = (name: string, changes = {}) => ({
  name,
  endpoint: `https://hooks.example/${name}`,
  ...changes,
});
const addUser = { request: { method: '/service.user.v2.UserService/AddHumanUser' } };

function plan(file: object, state: Partial<ServiceState> = {}) {
  return planActions(actionsFile.parse(file), { targets: [], executions: [], ...state });
}

it('planActions lists the old and the new values of a change', () => {
  const file = {
    targets: [wanted('audit', { timeout: '1m30s', kind: 'call', interruptOnError: true })],
    executions: [{ condition: addUser, targets: ['audit', 'crm'] }],
  };
  const state = {
    targets: [target('7', 'audit'), target('8', 'crm')],
    executions: [{ condition: addUser, targets: ['8', '9'], includes: [] }],
  };
  expect(plan(file, state)).toMatchObject([
    {
      text: '~ target audit: timeout 10s -> 90s, kind webhook -> call, interrupt on error no -> yes',
      change: { id: '7' },
    },
    {
      text: '~ execution request /service.user.v2.UserService/AddHumanUser: crm, 9 -> audit, crm',
      change: {
        targets: [
          { id: '7', name: 'audit' },
          { id: '8', name: 'crm' },
        ],
      },
    },
  ]);
});

it('planActions updates an execution with other targets, another order or includes', () => {
  const file = { executions: [{ condition: addUser, targets: ['a', 'b'] }] };
  const targets = [target('1', 'a'), target('2', 'b')];
  const sign = (ids: string[], includes: object[] = []) =>
    plan(file, { targets, executions: [{ condition: addUser, targets: ids, includes }] })[0]?.text[0];
  expect(sign(['1', '2'])).toBe('=');
  expect(sign(['2', '1'])).toBe('~');
  expect(sign(['1'])).toBe('~');
  expect(sign(['1', '2'], [{ event: { all: true } }])).toBe('~');
});

it('planActions refuses a name that matches no target or two targets', () => {
  const file = { executions: [{ condition: addUser, targets: ['audit'] }] };
  expect(() => plan(file)).toThrow('there is no target with the id or name audit');
  const twins = { targets: [target('7', 'audit'), target('8', 'audit')] };
  expect(() => plan(file, twins)).toThrow('more than one target has the name audit: 7, 8');
  expect(() => plan({ targets: [wanted('audit')] }, twins)).toThrow('more than one target');
  expect(plan({ executions: [{ condition: addUser, targets: ['8'] }] }, twins)).toMatchObject([
    { change: { targets: [{ id: '8', name: 'audit' }] } },
    { text: '= target audit (not in the file)' },
  ]);
});

const yaml = `
# receivers of new users
targets:
  - name: audit
    endpoint: https://hooks.example/audit
    timeout: 1m30s
    interruptOnError: true
executions:
  - condition:
      request:
        method: /service.user.v2.UserService/AddHumanUser
    targets: [audit, { target: crm }]
  - condition: { event: { group: user.human } }
    targets: [audit]
`;

it('readActionsFile reads YAML and fills in the defaults', async () => {
  expect(await readActionsFile('a.yaml', yaml)).toEqual({
    targets: [
      {
        name: 'audit',
        endpoint: 'https://hooks.example/audit',
        timeout: 90_000,
        kind: 'webhook',
        interruptOnError: true,
        payload: 'json',
      },
    ],
    executions: [
      {
        condition: { request: { method: '/service.user.v2.UserService/AddHumanUser' } },
        targets: ['audit', 'crm'],
      },
      { condition: { event: { group: 'user.human' } }, targets: ['audit'] },
    ],
  });
});

it('readActionsFile reads JSON and files without entries', async () => {
  expect(await readActionsFile('a.json', '{"targets":[]}')).toEqual({ targets: [], executions: [] });
  expect(await readActionsFile('a.yaml', '# nothing yet\n')).toEqual({ targets: [], executions: [] });
});

it.each([
  ['targets: [', /^a.yaml:\d+:\d+ \(byte \d+\): it is neither YAML nor JSON: /],
  ['', /^a.yaml: it is empty/],
  ['targets: *all', /^a.yaml: write out what its aliases/],
  ['targets: 5', /^a.yaml: targets: /],
  ['target: []', /^a.yaml: the file: .*target/],
  ['targets: [{name: a, endpoint: "ftp://x"}]', /^a.yaml: targets\[0\]\.endpoint: must be an http/],
  ['targets: [{name: a, endpoint: "https://x", timeout: 10}]', /targets\[0\]\.timeout: /],
  [
    'targets: [{name: a, endpoint: "https://x", timeout: 5m}]',
    /timeout: must be a duration over 0s and up to 270s/,
  ],
  ['targets: [{name: a, endpoint: "https://x", timeout: soon}]', /timeout: must be a duration/],
  ['executions: [{condition: {}, targets: [a]}]', /executions\[0\]\.condition: must have one of request/],
  [
    'executions: [{condition: {request: {method: AddHumanUser}}, targets: [a]}]',
    /executions\[0\]\.condition\.request\.method: must look like/,
  ],
  ['executions: [{condition: {event: {all: true}}, targets: []}]', /executions\[0\]\.targets: /],
  [
    `${yaml}\n  - {condition: {request: {method: /zitadel.user.v2.UserService/AddHumanUser}}, targets: [a]}`,
    /is in it twice/,
  ],
  [
    'targets: [{name: a, endpoint: "https://x"}, {name: a, endpoint: "https://y"}]',
    /the target a is in it twice/,
  ],
])('readActionsFile refuses a faulty file and names the position: %s', async (text, message) => {
  await expect(readActionsFile('a.yaml', text)).rejects.toThrow(message);
});
