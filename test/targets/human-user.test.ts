import { describe, expect, it } from 'vitest';
import { JsonWriter } from '../../src/json/writer.ts';
import type { UserRecord } from '../../src/records/user.ts';
import { encodeMachineUser, encodeMetadata, writeHumanUser } from '../../src/targets/human-user.ts';

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

const read = (user: UserRecord): unknown => JSON.parse(encodeHumanUser(user));

describe('an element of humanUsers', () => {
  it('omits every default, as the service does', () => {
    expect(read(plain)).toEqual({
      userId: 'u-1',
      user: {
        userName: 'ada',
        profile: { firstName: 'Ada', lastName: 'Lovelace' },
        email: { email: 'ada@example.org' },
      },
    });
    expect(read({ ...plain, id: '' })).not.toHaveProperty('userId');
  });

  it('carries everything that a record can hold', () => {
    const full: UserRecord = {
      ...plain,
      nickName: 'countess',
      displayName: 'Ada L.',
      language: 'en',
      gender: 'female',
      emailVerified: true,
      phone: '+41446681800',
      phoneVerified: true,
      passwordHash: '$2b$10$hash',
      otpSecret: 'MZXW6YTBOI',
      recoveryCodeHashes: ['$2b$10$one', '$2b$10$two'],
      links: [
        { configId: 'idp-1', externalUserId: '7', displayName: 'ada@work' },
        { configId: 'idp-2', externalUserId: '8', displayName: '' },
      ],
      state: 'inactive',
    };
    expect(read(full)).toEqual({
      userId: 'u-1',
      user: {
        userName: 'ada',
        profile: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          nickName: 'countess',
          displayName: 'Ada L.',
          preferredLanguage: 'en',
          gender: 'GENDER_FEMALE',
        },
        email: { email: 'ada@example.org', isEmailVerified: true },
        phone: { phone: '+41446681800', isPhoneVerified: true },
        hashedPassword: { value: '$2b$10$hash' },
        otpCode: 'MZXW6YTBOI',
        idps: [
          { configId: 'idp-1', externalUserId: '7', displayName: 'ada@work' },
          { configId: 'idp-2', externalUserId: '8' },
        ],
        recoveryCodes: [{ hash: '$2b$10$one' }, { hash: '$2b$10$two' }],
      },
      state: 'USER_STATE_INACTIVE',
    });
    expect(read({ ...full, state: 'locked' })).toMatchObject({ state: 'USER_STATE_LOCKED' });
  });

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

  it('hold metadata in base64', () => {
    const metadata = [
      { key: 'team', value: 'Müller' },
      { key: 'tags', value: '["a","b"]' },
    ];
    expect(JSON.parse(`[${encodeMetadata({ ...plain, metadata })}]`)).toEqual([
      { id: 'u-1', key: 'team', value: 'TcO8bGxlcg==' },
      { id: 'u-1', key: 'tags', value: 'WyJhIiwiYiJd' },
    ]);
  });
});
