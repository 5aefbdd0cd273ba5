import { describe, expect, it } from 'vitest';
import { body, readOrgs, createBodyReader } from '../../src/sources/body.ts';
import type { Notice } from '../../src/notice.ts';
import { memoryInput } from '../support/memory-input.ts';

async function scan(text: string) {
  const notices: Notice[] = [];
  let batches = 0;
  const input = memoryInput('given.json', text);
  for await (const _ of body.scan([input], {}, (notice) => notices.push(notice))) batches++;
  return { batches, notices };
}

const names = { firstName: 'A', lastName: 'B', nickName: 'a', displayName: 'A', preferredLanguage: 'en' };
const user = { userName: 'a', profile: names, email: { email: 'a@example.org' } };
const readUser = (value: object) =>
  createBodyReader()(value, { input: 'given.json', index: 0, id: '' }, { list: 'humanUsers', orgId: '' }, 0);

describe('the source body', () => {
  it.each([
    '{"dataOrgs":{"orgs":[{"humanUsers":[{}]}]}}',
    '{"data_orgs":{"orgs":[{"human_users":[{}]}]}}',
    '{"data_orgsv1":{"orgs":[{"machineUsers":[{}]}]}}',
    '{"orgs":[{"machine_users":[{}]}]}',
  ])('finds users without a notice: %s', async (text) => {
    expect(await scan(text)).toEqual({ batches: 1, notices: [] });
  });

  it('reads organizations in snake_case', async () => {
    const org = '{"org_id":"7","org":{"name":"A"},"domains":[{"domain_name":"a.example"}]}';
    expect(await readOrgs(memoryInput('given.json', `{"data_orgs":{"orgs":[${org}]}}`))).toEqual([
      { orgId: '7', name: 'A', domains: ['a.example'] },
    ]);
  });

  it.each([
    [1, 2, { gender: 'female', state: 'inactive' }],
    ['GENDER_MALE', 4, { gender: 'male', state: 'locked' }],
    [99, 1, { gender: 'unspecified', state: 'active' }],
    [1.5, 1, { kind: 'rejected', detail: 'DataHumanUser.user.profile.gender: enum expected' }],
  ])('reads enums by name and by number: %s, %s', (gender, state, expected) => {
    expect(readUser({ state, user: { ...user, profile: { ...user.profile, gender } } })).toMatchObject(
      expected,
    );
  });

  it.each([
    [0, 'rejected'],
    [1, 'human'],
    [200, 'human'],
    [201, 'rejected'],
  ])('checks the length of a recovery code of %d characters: %s', (length, kind) => {
    const recoveryCodes = [{ raw: 'x'.repeat(length) }];
    expect(readUser({ user: { ...user, recoveryCodes } })).toMatchObject({ kind });
  });

  it.each(['{"realm":"r","users":[{"username":"a"}]}', '{"dataOrgs":{"orgs":[{"humanUsers":[]}]}}', '[]'])(
    'explains why %s has no users',
    async (text) => {
      const { batches, notices } = await scan(text);
      expect(batches).toBe(0);
      expect(notices).toMatchObject([{ level: 'warning', code: 'input:no-users' }]);
      expect(notices[0]?.text).toMatch(/given\.json.*--from=keycloak/);
    },
  );
});
