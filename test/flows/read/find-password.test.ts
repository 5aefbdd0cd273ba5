import { expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { findUserByName } from '../../../src/flows/read/find-password.ts';
import { memoryInput } from '../../support/memory-input.ts';

const sampleUser = (userId: string, userName: string, value = `hash of ${userId}`): unknown => ({
  userId,
  user: { userName, hashedPassword: { value } },
});
const body = (...humanUsers: unknown[]) =>
  JSON.stringify({ timeout: '30m', dataOrgs: { orgs: [{ orgId: '1', humanUsers }] } });

function find(text: string, wanted: string) {
  return findUserByName(memoryInput('body.json', text, { blockBytes: 100 }), wanted);
}

const three = body(sampleUser('1', 'Alice'), sampleUser('2', 'bob'), sampleUser('3', 'carol'));

it('findUserByName finds a user by user name in any case or by id', async () => {
  expect(await find(three, 'alice')).toEqual({ userId: '1', userName: 'Alice', hash: 'hash of 1' });
  expect(await find(three, 'BOB')).toMatchObject({ userId: '2' });
  expect(await find(three, '3')).toMatchObject({ userName: 'carol' });
  expect(await find(three, 'dave')).toBeUndefined();
  expect(await find(body({ userId: '1', user: { userName: 'a' } }), 'a')).toMatchObject({ hash: '' });
});

it('findUserByName finds the last of 3,000 users', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => sampleUser(String(i), `user-${i}`));
  expect(await find(body(...many), 'user-2999')).toMatchObject({ hash: 'hash of 2999' });
});

it('findUserByName refuses a user name that two users have', async () => {
  const twice = body(sampleUser('1', 'alice'), sampleUser('2', 'Alice'));
  await expect(find(twice, 'alice')).rejects.toThrow(UsageError);
  await expect(find(twice, 'alice')).rejects.toMatchObject({ hint: 'Name the user by id: 1, 2.' });
  expect(await find(twice, '2')).toMatchObject({ userName: 'Alice' });
});

it('findUserByName reads a body in snake case', async () => {
  const alice = { user_id: '1', user: { user_name: 'alice', hashed_password: { value: 'h' } } };
  const text = JSON.stringify({ data_orgs: { orgs: [{ org_id: '1', human_users: [alice] }] } });
  expect(await find(text, 'alice')).toEqual({ userId: '1', userName: 'alice', hash: 'h' });
});

it.each(['{}', '{"dataOrgs":{"orgs":[{"orgId":"1"}]}}'])('findUserByName refuses %s', async (text) => {
  await expect(find(text, 'alice')).rejects.toMatchObject({ code: 'input:no-body' });
});
