import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findListed } from '../../../src/flows/jit/find-listed.ts';
import type { ServiceUser } from '../../../src/flows/jit/service.ts';
import { openUserList } from '../../../src/flows/jit/user-list.ts';
import { verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { parseCommand } from '../../support/argv.ts';
import { createTestContext } from '../../support/context.ts';
import { createTestFolder } from '../../support/folder.ts';
import { sha256Form, writeUserList } from '../../support/jit.ts';

const asUser = (id: string, userName: string): ServiceUser => ({
  id,
  userName,
  orgId: '1',
  loginName: userName,
  email: '',
  isActive: true,
  created: '',
  passwordChanged: '',
});

/** PBKDF2 of `correct horse`, which a self-hosted target refuses by default. */
const credential = (value: string, salt: string) => ({
  type: 'password',
  secretData: JSON.stringify({ value, salt, additionalParameters: {} }),
  credentialData: JSON.stringify({ hashIterations: 27_500, algorithm: 'pbkdf2-sha256' }),
});

it('migrate --jit-list lists users whose hash is refused, and writes them without a password', async () => {
  const cwd = createTestFolder();
  const { pbkdf2Sync } = await import('node:crypto');
  const salt = Buffer.alloc(16, 7);
  const key = pbkdf2Sync('correct horse', salt, 27_500, 64, 'sha256').toString('base64');
  const users = ['alice', 'bob'].map((username) => ({
    id: `id-${username}`,
    username,
    email: `${username}@example.org`,
    emailVerified: true,
    firstName: 'A',
    lastName: 'B',
    credentials: [credential(key, salt.toString('base64'))],
  }));
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
  const test = createTestContext({ cwd });
  const { action, options } = await parseCommand(
    'migrate keycloak --org=1 --realm=realm.json --target-profile=self-hosted --jit-list=jit.ndjson'.split(
      ' ',
    ),
  );
  expect(await action(options, test.context)).toBe(0);
  const body = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8'));
  const [alice] = body.dataOrgs.orgs[0].humanUsers;
  expect(alice.user.hashedPassword).toBeUndefined();
  expect(alice.user.email.isEmailVerified).toBe(true);
  expect(statSync(join(cwd, 'jit.ndjson')).mode & 0o777).toBe(0o600);
  expect(test.events).toContainEqual(expect.objectContaining({ code: 'jit:listed' }));

  const list = await openUserList(join(cwd, 'jit.ndjson'), 'jit.ndjson');
  expect(list.size).toBe(2);
  const found = await list.find({ id: 'id-bob', userName: '' });
  expect(found?.userName).toBe('bob');
  expect(await verifyForm(found!.form!, 'correct horse')).toBe(true);
  expect(await verifyForm(found!.form!, 'wrong')).toBe(false);
  await list.close();
});

it('users of a list are found by id, or by name where the target chose the id', async () => {
  const cwd = createTestFolder();
  const many = Array.from({ length: 5000 }, (_, n) => ({
    id: n % 2 === 0 ? String(n) : '',
    userName: `User${n}`,
    form: sha256Form(`p${n}`),
  }));
  const path = writeUserList(cwd, many);
  const list = await openUserList(path, 'jit.ndjson');
  expect(list.size).toBe(5000);
  for (const n of [0, 1, 2, 999, 4998, 4999]) {
    const id = n % 2 === 0 ? String(n) : '90000';
    expect((await list.find({ id, userName: `user${n}` }))?.userName).toBe(`User${n}`);
  }
  // That this is the user whose id is on the list is for findListed to say.
  expect((await list.find({ id: '90000', userName: 'user2' }))?.id).toBe('2');
  expect(await list.find({ id: '', userName: 'unknown' })).toBeUndefined();
  await list.close();
});

it('a user with another id than the listed one is the listed user only where no other has that id or name', async () => {
  const cwd = createTestFolder();
  const form = sha256Form('p');
  const users = [
    { id: 'alice', userName: 'new-id', form },
    { id: 'gone', userName: 'Bob', form },
    { id: 'x0', userName: 'shared', form },
    { id: 'x1', userName: 'twice', form },
    { id: 'x2', userName: 'twice', form },
  ];
  const list = await openUserList(writeUserList(cwd, users), 'jit.ndjson');
  const lookUps = {
    findUser: async (id: string) => (id === 'alice' ? asUser('alice', 'alice') : undefined),
    // Undefined for a name that several users of the service have.
    findByUserName: async (name: string) => (name === 'shared' ? undefined : asUser('123', name)),
  };
  const find = (id: string, userName: string) => findListed(asUser(id, userName), list, lookUps);
  expect((await find('alice', 'renamed'))?.id).toBe('alice');
  expect(await find('123', 'new-id')).toBeUndefined();
  expect((await find('123', 'bob'))?.id).toBe('gone');
  expect(await find('123', 'twice')).toBeUndefined();
  // Else a user made with a name of the list could have its password guessed.
  expect(await find('123', 'shared')).toBeUndefined();
  expect(await find('456', 'bob')).toBeUndefined();
  await list.close();
});

it('a line that is no user is refused with its number', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'jit.ndjson'), '{"id":"1","userName":"a","form":{"kind":"x"}}\n{"id":2}\n');
  await expect(openUserList(join(cwd, 'jit.ndjson'), 'jit.ndjson')).rejects.toThrow('line 2');
});
