import { expect, it } from 'vitest';
import { formatCall } from '../../../src/commands/actions/listen.ts';

const call: Parameters<typeof formatCall>[0] = {
  number: 3,
  receivedAt: '2026-01-31T12:00:00.000Z',
  path: '/',
  verified: true,
  signature: 'signature good, 0 s old',
  kind: 'request',
  name: '/service.user.v2.UserService/AddHumanUser',
  userId: '4',
  orgId: '2',
  instanceId: '',
  payloadType: 'json',
  payload: { userID: '4' },
  tokenHeader: undefined,
  bytes: 12,
  status: 200,
  forwarded: undefined,
  recorded: 'recorded in calls/x.http',
};

it('formatCall prints the method, caller, signature, answer and payload of a call', () => {
  expect(formatCall(call)).toEqual([
    '#3 2026-01-31T12:00:00.000Z request /service.user.v2.UserService/AddHumanUser',
    '   user 4, organization 2',
    '   signature good, 0 s old',
    '   answered 200',
    '   recorded in calls/x.http',
    '   {',
    '     "userID": "4"',
    '   }',
  ]);
});

it('formatCall escapes terminal control characters', () => {
  const lines = formatCall({ ...call, name: '\u001b[2J', payload: { a: '\u009b2J' } });
  expect(lines.join('')).not.toMatch(/[\u001b\u009b]/);
  expect(lines[0]).toContain(String.raw`\u001b[2J`);
});

it('formatCall truncates a long payload and counts the remaining lines', () => {
  const lines = formatCall({ ...call, payload: Array.from({ length: 100 }, (_, i) => i) });
  expect(lines.at(-1)).toBe('   ... and 42 more lines');
  expect(lines).toHaveLength(66);
});
