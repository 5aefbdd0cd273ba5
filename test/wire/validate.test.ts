/** The first broken field rule is reported in the words of the service. */
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/wire/codec.ts';
import { importHumanUserRequest } from '../../src/wire/human-user.ts';
import { importDataRequest } from '../../src/wire/import.ts';
import { violation } from '../../src/wire/validate.ts';

const user = (changes: object = {}): object => ({
  userName: 'ada',
  profile: { firstName: 'A', lastName: 'L' },
  email: { email: 'a@b.c' },
  ...changes,
});
const single = (value: object) =>
  violation(importHumanUserRequest, decode(importHumanUserRequest, Buffer.from(JSON.stringify(value))));
const bulk = (value: object) =>
  violation(importDataRequest, decode(importDataRequest, Buffer.from(JSON.stringify(value))));

describe('violation', () => {
  it('is silent about a record that keeps every rule', () => {
    expect(single(user())).toBeUndefined();
  });

  it.each([
    [{ userName: '' }, 'UserName: value length must be between 1 and 200 runes, inclusive'],
    [{ profile: null }, 'Profile: value is required'],
    [{ email: undefined }, 'Email: value is required'],
    [
      { profile: { firstName: 'A', lastName: 'B', preferredLanguage: 'en-Latn-US-x' } },
      'Profile: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Profile.PreferredLanguage: value length must be at most 10 runes',
    ],
    [
      { phone: { phone: '0041' } },
      'Phone: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Phone.Phone: value does not have prefix "+"',
    ],
    [
      { phone: {} },
      'Phone: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Phone.Phone: value length must be between 1 and 50 runes, inclusive',
    ],
    [
      { idps: [{ configId: 'a', externalUserId: 'b' }, { configId: 'a' }] },
      'Idps[1]: embedded message failed validation | caused by: invalid ImportHumanUserRequest_IDP.ExternalUserId: value length must be between 1 and 200 runes, inclusive',
    ],
  ])('%j', (changes, text) => {
    expect(single(user(changes))).toBe(`invalid ImportHumanUserRequest.${text}`);
  });

  it('counts code points: two hundred emoji fit, two hundred and one do not', () => {
    expect(single(user({ userName: '😀'.repeat(200) }))).toBeUndefined();
    expect(single(user({ userName: '😀'.repeat(201) }))).toMatch(/200 runes/);
  });

  it('speaks of one bad record with its whole path', () => {
    const good = { user: user() };
    const bad = { user: user({ profile: { firstName: 'x' } }) };
    expect(bulk({ dataOrgs: { orgs: [{ humanUsers: [good, good, good, bad, bad] }] } })).toBe(
      'invalid ImportDataRequest.DataOrgs: embedded message failed validation | caused by: invalid ImportDataOrg.Orgs[0]: embedded message failed validation | caused by: invalid DataOrg.HumanUsers[3]: embedded message failed validation | caused by: invalid DataHumanUser.User: embedded message failed validation | caused by: invalid ImportHumanUserRequest.Profile: embedded message failed validation | caused by: invalid ImportHumanUserRequest_Profile.LastName: value length must be between 1 and 200 runes, inclusive',
    );
  });

  it('counts the decoded bytes of metadata', () => {
    const metadata = (value: string) =>
      bulk({ dataOrgs: { orgs: [{ userMetadata: [{ id: 'u', key: 'k', value }] }] } });
    expect(metadata(Buffer.alloc(500_000).toString('base64'))).toBeUndefined();
    expect(metadata(Buffer.alloc(500_001).toString('base64'))).toMatch(
      /Value: value length must be between 1 and 500000 bytes, inclusive$/,
    );
    expect(metadata('')).toMatch(/between 1 and 500000 bytes/);
  });
});
