import { expect, it } from 'vitest';
import { conditionKey } from '../../../src/api/actions/condition.ts';

it('conditionKey gives equal keys despite brand and group suffix, and different keys otherwise', () => {
  const method = (name: string) => conditionKey({ request: { method: name } });
  expect(method('/service.user.v2.UserService/A')).toBe(method('/zitadel.user.v2.UserService/A'));
  const group = (name: string) => conditionKey({ event: { group: name } });
  expect(group('user.human.*')).toBe(group('user.human'));
  const others = [
    method('/service.user.v2.UserService/A'),
    method('/service.user.v2.UserService/B'),
    conditionKey({ response: { method: '/service.user.v2.UserService/A' } }),
    conditionKey({ request: { service: 'service.user.v2.UserService' } }),
    conditionKey({ request: { all: true } }),
    conditionKey({ event: { event: 'user.human' } }),
    conditionKey({ event: { group: 'user.human' } }),
  ];
  expect(new Set(others).size).toBe(others.length);
});
