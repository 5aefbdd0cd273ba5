/** Ids are texts or integers that JSON.parse keeps: a larger number was rounded, and could be the id of another user. */
import { describe, expect, it } from 'vitest';
import { type Converted, convertFiles } from '../../support/conversion.ts';

const hash = `$2b$10$${'a'.repeat(53)}`;

const convert = (files: Readonly<Record<string, string>>) => {
  const inputs = Object.keys(files).map((name) => `--${name}=${name}`);
  return convertFiles(['migrate', 'auth0', '--org=1', ...inputs], files);
};
const hashesOf = ({ users }: Converted) => users.map(({ user }) => user['hashedPassword']?.value);

const user = (id: string, name: string) =>
  `{"user_id":${id},"username":"${name}","email":"${name}@example.org","email_verified":true,"given_name":"A","family_name":"B"}`;

describe('the user id in a line of --passwords', () => {
  // 2^53 + 1 is 2^53 for JSON.parse: the id of the other user.
  const users = [user('"auth0|9007199254740992"', 'other'), user('"auth0|9007199254740993"', 'own')].join(
    '\n',
  );

  it.each(
    ['_id', '_ID', 'alt_id'].flatMap((key) =>
      ['9007199254740993', '1e300', '1.5', 'true', '[]'].map((id) => [key, id]),
    ),
  )('(%s: %s) that JSON cannot represent exactly matches no user, not even by email', async (key, id) => {
    const line = `{"${key}":${id},"email":"other@example.org","passwordHash":"${hash}","connection":"c"}`;
    const ran = await convert({ users, passwords: line });
    expect(hashesOf(ran)).toEqual([undefined, undefined]);
    expect(ran.notices).toContain('password:unreadable-line');
  });

  it.each(['"9007199254740993"', '{"$oid":"9007199254740993"}', '"auth0|9007199254740993"', '42'])(
    '(%s) that is a string or an exact integer matches its user',
    async (id) => {
      const own = id === '42' ? [user('"auth0|41"', 'other'), user('42', 'own')].join('\n') : users;
      const ran = await convert({ users: own, passwords: `{"_id":${id},"passwordHash":"${hash}"}` });
      expect(hashesOf(ran)).toEqual([undefined, hash]);
    },
  );
});

it.each(['9007199254740993', '1.5', '-9007199254740993', '1e400', 'true', '{}'])(
  'a user with the id %s is rejected',
  async (id) => {
    expect(await convert({ users: user(id, 'ada') })).toMatchObject({
      users: [],
      reasons: { 'record:malformed': 1 },
    });
  },
);
