import { describe, expect, it } from 'vitest';
import { readActionsFile } from '../../../src/flows/actions/read-actions-file.ts';

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

describe('readActionsFile', () => {
  it('reads YAML and fills in the defaults', async () => {
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

  it('reads JSON and files without entries', async () => {
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
  ])('refuses a faulty file and names the position: %s', async (text, message) => {
    await expect(readActionsFile('a.yaml', text)).rejects.toThrow(message);
  });
});
