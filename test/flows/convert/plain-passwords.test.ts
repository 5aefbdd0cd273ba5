/** Passwords in plain text that are too long for bcrypt: no hash is made of a part of them. */
import { expect, it } from 'vitest';
import { convertRealm, keycloakUser, realmOf } from '../../support/conversion.ts';

const user = (username: string, value: string) =>
  keycloakUser(username, { credentials: [{ type: 'password', value }] });

it.each([
  ['drop', ['fits', 'long'], 'password:too-long'],
  ['skip', ['fits'], 'user-skipped:refused-hash'],
])('a password too long for bcrypt gets no hash with --on-refused-hash=%s', async (rule, imported, code) => {
  const realm = realmOf(user('fits', 'ü'.repeat(36)), user('long', `${'ü'.repeat(36)}1`));
  const flags = ['--plain-passwords=hash', `--on-refused-hash=${rule}`, '--report=report.json'];
  const ran = await convertRealm(realm, ...flags);
  expect(ran.names).toEqual(imported);
  expect(ran.users.filter(({ user }) => user['hashedPassword']).map(({ userId }) => userId)).toEqual([
    'id-fits',
  ]);
  const reported = ran.json('report.json').users.find(({ id }: { id: string }) => id === 'id-long');
  expect(reported.reasons).toMatchObject([{ code }]);
});
