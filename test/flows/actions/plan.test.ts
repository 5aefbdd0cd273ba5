import { describe, expect, it } from 'vitest';
import type { RegisteredTarget } from '../../../src/api/actions/versions.ts';
import { planActions, type ServiceState } from '../../../src/flows/actions/plan.ts';
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

describe('planActions', () => {
  it('lists the old and the new values of a change', () => {
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
        do: 'update-target',
        id: '7',
        changes: ['timeout 10s -> 90s', 'kind webhook -> call', 'interrupt on error no -> yes'],
      },
      {
        do: 'set-execution',
        targets: [
          { id: '7', name: 'audit' },
          { id: '8', name: 'crm' },
        ],
        before: ['crm', '9'],
      },
    ]);
  });

  it('updates an execution with other targets, another order or includes', () => {
    const file = { executions: [{ condition: addUser, targets: ['a', 'b'] }] };
    const targets = [target('1', 'a'), target('2', 'b')];
    const step = (ids: string[], includes: object[] = []) =>
      plan(file, { targets, executions: [{ condition: addUser, targets: ids, includes }] })[0]?.do;
    expect(step(['1', '2'])).toBe('keep-execution');
    expect(step(['2', '1'])).toBe('set-execution');
    expect(step(['1'])).toBe('set-execution');
    expect(step(['1', '2'], [{ event: { all: true } }])).toBe('set-execution');
  });

  it('refuses a name that matches no target or two targets', () => {
    const file = { executions: [{ condition: addUser, targets: ['audit'] }] };
    expect(() => plan(file)).toThrow('there is no target with the id or name audit');
    const twins = { targets: [target('7', 'audit'), target('8', 'audit')] };
    expect(() => plan(file, twins)).toThrow('more than one target has the name audit: 7, 8');
    expect(() => plan({ targets: [wanted('audit')] }, twins)).toThrow('more than one target');
    expect(plan({ executions: [{ condition: addUser, targets: ['8'] }] }, twins)).toMatchObject([
      { targets: [{ id: '8', name: 'audit' }] },
      { do: 'leave-target', id: '7' },
    ]);
  });
});
