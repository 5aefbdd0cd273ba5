import { describe, expect, it } from 'vitest';
import { bestMatch, conditionId, requireKnownNames } from '../../../src/server/actions/condition.ts';
import { brandedName, canonicalName, createMethodNames } from '../../../src/server/actions/names.ts';
import type { Condition } from '../../../src/wire/action-condition.ts';

const addHuman = '/zitadel.user.v2.UserService/AddHumanUser';
const names = createMethodNames(['/zitadel.management.v1.ManagementService/ImportHumanUser']);

const refusalId = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { id: string }).id;
  }
};

describe('the id of a condition', () => {
  it.each([
    [{ request: { method: addHuman } }, 'request/zitadel.user.v2.UserService/AddHumanUser'],
    [
      { request: { method: '/service.user.v2.UserService/AddHumanUser' } },
      'request/zitadel.user.v2.UserService/AddHumanUser',
    ],
    [{ request: { service: 'service.user.v2.UserService' } }, 'request/zitadel.user.v2.UserService'],
    [{ request: { all: true } }, 'request'],
    [{ response: { all: true } }, 'response'],
    [{ function: { name: 'preuserinfo' } }, 'function/preuserinfo'],
    [{ event: { event: 'user.human.added' } }, 'event/user.human.added'],
    [{ event: { group: 'user.human' } }, 'event/user.human.*'],
    [{ event: { group: 'user.human.*' } }, 'event/user.human.*'],
    [{ event: { all: true } }, 'event'],
  ])('%j is %s', (condition, id) => {
    expect(conditionId(condition as Condition)).toBe(id);
  });

  it.each([
    [undefined, 'ACTION-5r5Ju'],
    [{ request: {} }, 'COMMAND-3tkej630e6'],
    [{ response: { all: false } }, 'COMMAND-3tkej630e6'],
    [{ event: {} }, 'COMMAND-w5smb6v7qu'],
  ])('%j has none: %s', (condition, id) => {
    expect(refusalId(() => conditionId(condition as Condition | undefined))).toBe(id);
  });
});

describe('names in conditions', () => {
  it.each([
    [{ request: { method: '/service.user.v2.UserService/AddHumanUser' } }, 'none'],
    [{ event: { group: 'user.human.*' } }, 'none'],
  ])('%j: %s', (condition, id) => {
    expect(refusalId(() => requireKnownNames(condition as Condition, names))).toBe(id);
  });

  it('carry either brand and come out in the one of the server', () => {
    expect(canonicalName('/service.user.v2.UserService/AddHumanUser')).toBe(addHuman);
    expect(brandedName(addHuman, 'service')).toBe('/service.user.v2.UserService/AddHumanUser');
    expect(brandedName('zitadel.user.v2.UserService', 'service')).toBe('service.user.v2.UserService');
    expect(brandedName(addHuman, 'zitadel')).toBe(addHuman);
    expect(canonicalName('/my.service.v1/Do')).toBe('/my.service.v1/Do');
  });
});

describe('the execution that wins', () => {
  const find = (wanted: string, ...ids: string[]): string | undefined =>
    bestMatch(
      ids.map((id) => ({ id })),
      wanted,
    )?.id;
  const call = 'request/zitadel.user.v2.UserService/AddHumanUser';
  const service = 'request/zitadel.user.v2.UserService';

  it('is the method before the service before all', () => {
    expect(find(call, 'request', service, call)).toBe(call);
    expect(find(call, service, 'request')).toBe(service);
    expect(find(call, 'request', 'response')).toBe('request');
    expect(find(call, 'response')).toBeUndefined();
  });

  it('is the longest plain prefix, even inside a name', () => {
    expect(find('request/a.B/GetMore', 'request/a.B/Get', 'request')).toBe('request/a.B/Get');
    expect(find('request/a.B/Get', 'request/a.B/GetMore', 'request')).toBe('request');
  });

  it('is the event before its longest group before all', () => {
    const event = 'event/user.human.added';
    expect(find(event, 'event', 'event/user.*', 'event/user.human.*', event)).toBe(event);
    expect(find(event, 'event', 'event/user.human.*', 'event/user.*')).toBe('event/user.human.*');
    expect(find(event, 'event', 'event/org.*')).toBe('event');
  });
});
