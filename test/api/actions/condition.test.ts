import { expect, it } from 'vitest';
import { conditionKey, describeCondition } from '../../../src/api/actions/condition.ts';

it.each([
  [
    { request: { method: '/service.user.v2.UserService/AddHumanUser' } },
    'request /service.user.v2.UserService/AddHumanUser',
  ],
  [{ request: { service: 'service.user.v2.UserService' } }, 'request service service.user.v2.UserService'],
  [{ response: { all: true } }, 'response all'],
  [{ function: { name: 'preuserinfo' } }, 'function preuserinfo'],
  [{ event: { event: 'user.human.added' } }, 'event user.human.added'],
  [{ event: { group: 'user.human' } }, 'event group user.human'],
  [{ event: { all: true } }, 'event all'],
  [{}, 'no condition'],
  [{ request: undefined, event: { event: undefined, all: true } }, 'event all'],
])('describeCondition and conditionKey describe %j as "%s"', (condition, text) => {
  expect(describeCondition(condition)).toBe(text);
});

it('describeCondition and conditionKey give equal keys despite brand and group suffix, and different keys otherwise', () => {
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
