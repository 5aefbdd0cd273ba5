import { describe, expect, it } from 'vitest';
import { JsonWriter } from '../../src/json/writer.ts';
import type { UserRecord } from '../../src/records/user.ts';
import { encodeMachineUser, writeHumanUser } from '../../src/targets/human-user.ts';

const plain: UserRecord = {
  kind: 'human',
  origin: { input: 'realm.json', index: 0, id: 'u-1' },
  id: 'u-1',
  userName: 'ada',
  givenName: 'Ada',
  familyName: 'Lovelace',
  fullName: '',
  nickName: '',
  displayName: '',
  language: '',
  gender: 'unspecified',
  email: 'ada@example.org',
  emailVerified: false,
  phone: '',
  phoneVerified: false,
  passwordHash: '',
  plainPassword: '',
  otpSecret: '',
  recoveryCodeHashes: [],
  recoveryCodes: [],
  links: [],
  state: 'active',
  metadata: [],
  notes: [],
};

function encodeHumanUser(user: UserRecord): string {
  const out = new JsonWriter();
  writeHumanUser(out, user);
  return out.toString();
}

describe('an element of humanUsers', () => {
  it('never writes a password in plain text, nor notes', () => {
    const text = encodeHumanUser({ ...plain, plainPassword: 'hunter2', notes: [{ code: 'name:filled' }] });
    expect(text).not.toMatch(/hunter2|name:filled/);
  });
});

describe('the other lists', () => {
  it('name a machine twice, because the service reads the inner id', () => {
    const machine = encodeMachineUser({
      kind: 'machine',
      origin: plain.origin,
      id: 'm-1',
      userName: 'service-account-app',
      name: 'app',
      description: '',
      state: 'inactive',
      metadata: [],
      notes: [],
    });
    expect(JSON.parse(machine)).toEqual({
      userId: 'm-1',
      user: { userName: 'service-account-app', name: 'app', userId: 'm-1' },
      state: 'USER_STATE_INACTIVE',
    });
  });
});
