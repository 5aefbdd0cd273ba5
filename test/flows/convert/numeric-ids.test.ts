/** Ids are texts or integers that JSON.parse keeps: a larger number was rounded, and could be the id of another user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';

const hash = `$2b$10$${'a'.repeat(53)}`;

interface Element {
  readonly userId: string;
  readonly user: {
    readonly userName: string;
    readonly hashedPassword?: { readonly value: string };
    readonly idps?: readonly { readonly externalUserId: string }[];
  };
}

async function convert(
  provider: 'auth0' | 'keycloak',
  files: Readonly<Record<string, string>>,
): Promise<Ran & { users: readonly Element[]; codes: readonly string[] }> {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const inputs = Object.keys(files).map((name) => `--${name}=${name}`);
  const ran = await runProgram(['migrate', provider, '--org=1', '--idp=google-oauth2=7', ...inputs], { cwd });
  const { dataOrgs } = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8')) as {
    dataOrgs: { orgs: [{ humanUsers: Element[] }] };
  };
  const end = ran.events.find((event) => event.type === 'run:end');
  return { ...ran, users: dataOrgs.orgs[0].humanUsers, codes: [...(end?.tally.reasons.keys() ?? [])] };
}

const user = (id: string, name: string, more = ''): string =>
  `{"user_id":${id},"username":"${name}","email":"${name}@example.org","email_verified":true,"given_name":"A","family_name":"B"${more}}`;

describe('an id of a password line', () => {
  // 2^53 + 1 is 2^53 for JSON.parse: the id of the other user.
  const users = [user('"auth0|9007199254740992"', 'other'), user('"auth0|9007199254740993"', 'own')].join(
    '\n',
  );

  it.each(
    ['_id', '_ID', 'alt_id'].flatMap((key) =>
      ['9007199254740993', '1e300', '1.5', 'true', '[]'].map((id) => [key, id]),
    ),
  )('(%s: %s) that JSON does not keep is joined to no user, by email neither', async (key, id) => {
    const line = `{"${key}":${id},"email":"other@example.org","passwordHash":"${hash}","connection":"c"}`;
    const ran = await convert('auth0', { users, passwords: line });
    expect(ran.users.map((element) => element.user.hashedPassword)).toEqual([undefined, undefined]);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'notice', code: 'password:unreadable-line' }),
    );
  });

  it.each(['"9007199254740993"', '{"$oid":"9007199254740993"}', '"auth0|9007199254740993"'])(
    '(%s) that is a text is joined to its own user',
    async (id) => {
      const ran = await convert('auth0', { users, passwords: `{"_id":${id},"passwordHash":"${hash}"}` });
      expect(ran.users.map((element) => element.user.hashedPassword?.value)).toEqual([undefined, hash]);
    },
  );

  it('that is an integer is joined to its own user', async () => {
    const small = [user('"auth0|41"', 'other'), user('42', 'own')].join('\n');
    const ran = await convert('auth0', { users: small, passwords: `{"_id":42,"passwordHash":"${hash}"}` });
    expect(ran.users.map((element) => element.user.hashedPassword?.value)).toEqual([undefined, hash]);
  });
});

describe('an id of a user or a link', () => {
  it.each(['9007199254740993', '1.5', '-9007199254740993', '1e400'])(
    'of Auth0 (%s) is refused',
    async (id) => {
      const ran = await convert('auth0', { users: user(id, 'ada') });
      expect(ran.users).toEqual([]);
      expect(ran.codes).toEqual(['record:malformed']);
    },
  );

  it('of Auth0, rounded in identities, is taken from the user id that has it as text', async () => {
    const link = (id: string): string =>
      `,"identities":[{"provider":"google-oauth2","connection":"google-oauth2","user_id":${id}}]`;
    const own = await convert('auth0', {
      users: user('"google-oauth2|108234567890123456789"', 'ada', link('108234567890123456789')),
    });
    expect(own.users[0]?.user.idps).toMatchObject([{ externalUserId: '108234567890123456789' }]);
    const other = await convert('auth0', {
      users: user(
        '"auth0|1"',
        'ada',
        link('"1"')
          .replace('[', '[{"provider":"auth0","user_id":"1"},')
          .replace('"user_id":"1"}]', '"user_id":108234567890123456789}]'),
      ),
    });
    expect(other.users[0]?.user.idps).toBeUndefined();
    expect(other.codes).toContain('idp:missing-id');
  });

  it.each(['9007199254740993', '1.5', '1e400', 'true', '{}'])('of Keycloak (%s) is refused', async (id) => {
    const record = `{"id":${id},"username":"ada","email":"a@example.org","firstName":"A","lastName":"B","enabled":true}`;
    const ran = await convert('keycloak', { realm: `{"realm":"r","users":[${record}]}` });
    expect(ran.users).toEqual([]);
    expect(ran.codes).toEqual(['record:malformed']);
  });
});
