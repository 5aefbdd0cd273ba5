import { pbkdf2Sync } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findListed } from '../../../src/flows/jit/listed-users.ts';
import { encodeListedUser, type ListedUser, openUserList } from '../../../src/flows/jit/user-list.ts';
import { verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { convertRealm, keycloakUser, realmOf } from '../../support/conversion.ts';
import { createTestFolder } from '../../support/folder.ts';
import { serviceUser, sha256Form } from '../../support/jit.ts';
import { succeeded } from '../../support/workspace.ts';

const open = async (path: string) => {
  const list = await openUserList(path, 'jit.ndjson');
  onTestFinished(() => list.close());
  return list;
};
const openWritten = (text: string) => {
  const path = join(createTestFolder(), 'jit.ndjson');
  writeFileSync(path, text);
  return open(path);
};
const listOf = (users: readonly ListedUser[]) => openWritten(users.map(encodeListedUser).join(''));

it('migrate --jit-list lists users whose hash is refused, and writes them without a password', async () => {
  const salt = Buffer.alloc(16, 7);
  // PBKDF2, which a self-hosted target refuses by default.
  const value = pbkdf2Sync('correct horse', salt, 27_500, 64, 'sha256').toString('base64');
  const credential = {
    type: 'password',
    secretData: { value, salt: salt.toString('base64') },
    credentialData: { hashIterations: 27_500, algorithm: 'pbkdf2-sha256' },
  };
  const realm = realmOf(...['alice', 'bob'].map((name) => keycloakUser(name, { credentials: [credential] })));
  const ran = await succeeded(convertRealm(realm, '--target-profile=self-hosted', '--jit-list=jit.ndjson'));
  expect(ran.users[0]!.user['hashedPassword']).toBeUndefined();
  expect(ran.users[0]!.user['email'].isEmailVerified).toBe(true);
  expect(statSync(join(ran.cwd, 'jit.ndjson')).mode & 0o777).toBe(0o600);
  expect(ran.notices).toContain('jit:listed');

  const list = await open(join(ran.cwd, 'jit.ndjson'));
  expect(list.size).toBe(2);
  const found = await list.find({ id: 'id-bob', userName: '' });
  expect(found?.userName).toBe('bob');
  expect(await verifyForm(found!.form!, 'correct horse')).toBe(true);
  expect(await verifyForm(found!.form!, 'wrong')).toBe(false);
});

it('openUserList finds users by id, or by user name if the target chose the id', async () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({
    id: n % 2 === 0 ? String(n) : '',
    userName: `User${n}`,
    form: sha256Form(`p${n}`),
  }));
  const list = await listOf(many);
  expect(list.size).toBe(5000);
  for (const n of [0, 1, 2, 999, 4998, 4999]) {
    const id = n % 2 === 0 ? String(n) : '90000';
    expect((await list.find({ id, userName: `user${n}` }))?.userName).toBe(`User${n}`);
  }
  // That this is the user whose id is on the list is for findListed to say.
  expect((await list.find({ id: '90000', userName: 'user2' }))?.id).toBe('2');
  expect(await list.find({ id: '', userName: 'unknown' })).toBeUndefined();
});

it('findListed matches a user with another id only if no other user has that id or name', async () => {
  const names = { alice: 'new-id', gone: 'Bob', x0: 'shared', x1: 'twice', x2: 'twice' };
  const list = await listOf(
    Object.entries(names).map(([id, userName]) => ({ id, userName, form: sha256Form('p') })),
  );
  const lookUps = {
    findUser: async (id: string) => (id === 'alice' ? serviceUser('alice') : undefined),
    // Undefined for a name that several users of the service have.
    findByUserName: async (name: string) => (name === 'shared' ? undefined : serviceUser('123', name)),
  };
  const find = async (id: string, userName: string) =>
    (await findListed(serviceUser(id, userName), list, lookUps))?.id;
  expect(await find('alice', 'renamed')).toBe('alice');
  expect(await find('123', 'new-id')).toBeUndefined();
  expect(await find('123', 'bob')).toBe('gone');
  expect(await find('123', 'twice')).toBeUndefined();
  // Else a user made with a name of the list could have its password guessed.
  expect(await find('123', 'shared')).toBeUndefined();
  expect(await find('456', 'bob')).toBeUndefined();
});

it('openUserList refuses a line that is not a user and names its number', async () => {
  await expect(open('/dev/zero')).rejects.toThrow('line 1 is not a user');
  await expect(open(createTestFolder())).rejects.toThrow('jit.ndjson: it is a folder, not a file');
  await expect(openWritten('{"id":"1","userName":"a","form":{"kind":"x"}}\n{"id":2}\n')).rejects.toThrow(
    'line 2',
  );
});
