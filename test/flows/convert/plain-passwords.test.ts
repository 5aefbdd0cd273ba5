/** Passwords in plain text that are too long for bcrypt: no hash is made of a part of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/program.ts';

const user = (username: string, value: string): object => ({
  id: `id-${username}`,
  username,
  email: `${username}@example.org`,
  emailVerified: true,
  firstName: 'A',
  lastName: 'B',
  enabled: true,
  credentials: [{ type: 'password', value }],
});

it.each([
  ['drop', ['fits', 'long'], ['password:too-long']],
  ['skip', ['fits'], ['user-skipped:refused-hash']],
])('--on-refused-hash=%s', async (rule, imported, codes) => {
  const cwd = createTestFolder();
  const users = [user('fits', 'ü'.repeat(36)), user('long', `${'ü'.repeat(36)}1`)];
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
  const flags = ['--org=1', '--realm=realm.json', '--plain-passwords=hash', `--on-refused-hash=${rule}`];
  const ran = await runProgram(
    ['migrate', 'keycloak', ...flags, '--output=body.json', '--report=report.json'],
    { cwd },
  );
  expect(ran.problem).toBeUndefined();
  const read = (name: string): any => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
  const { humanUsers } = read('body.json').dataOrgs.orgs[0];
  expect(humanUsers.map((each: any) => each.user.userName)).toEqual(imported);
  expect(humanUsers.map((each: any) => each.user.hashedPassword !== undefined)).toEqual(
    imported.map((name) => name === 'fits'),
  );
  const reported = read('report.json').users.find((each: any) => each.id === 'id-long');
  expect(reported.reasons.map(({ code }: { code: string }) => code)).toEqual(codes);
});
