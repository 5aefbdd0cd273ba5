import { describe, expect, it } from 'vitest';
import { conditionId, requireKnownNames } from '../../../src/server/actions/condition.ts';
import { createMethodNames } from '../../../src/server/actions/names.ts';
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
});
