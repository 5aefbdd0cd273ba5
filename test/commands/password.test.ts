import { createHash, pbkdf2Sync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { convertFiles } from '../support/conversion.ts';
import type { RunOptions } from '../support/desk.ts';

const salted = 'c2FsdCBvZiBieXRlcyD/';
const hash = `$pbkdf2-sha256$1000$${salted}$h7VAVqlhOfyZoTiV2S/+gf3tDvsg4UQCTA7slHPOFlI=`;
const bodyOf = (users: Readonly<Record<string, string | undefined>>) => {
  const humanUsers = Object.entries(users).map(([userName, value], at) => ({
    userId: `${at + 1}`,
    user: { userName, ...(value === undefined ? {} : { hashedPassword: { value } }) },
  }));
  return JSON.stringify({ dataOrgs: { orgs: [{ humanUsers }] } });
};
const all = bodyOf({
  alice: hash,
  bob: undefined,
  carol: `{SSHA}${salted}`,
  short: '$argon2id$v=19$m=8192,t=1,p=1$c2FsdA$a2V5a2V5',
});

function verify(body: string, user: string, options: Omit<RunOptions, 'cwd'>, ...given: readonly string[]) {
  const more = given.includes('--body') ? given : ['--body', 'body.json', ...given];
  const files = { 'body.json': body, 'body.json.gz': gzipSync(body) };
  return convertFiles(['password', 'verify', '--user', user, ...more], files, options);
}

const run = (user: string, stdin: string, ...more: readonly string[]) =>
  verify(all, user, { stdin }, ...more);

describe('idport password verify', () => {
  it.each([
    ['alice', 'Grüezi', 0, 'alice (1): the password matches (pbkdf2-sha256, rounds 1000)\n'],
    [
      'alice',
      'Grüzi',
      4,
      'alice (1): the password does not match (pbkdf2-sha256, rounds 1000)\n' +
        '  No known cause explains it. It may be another password, or the source adds a secret (pepper).\n',
    ],
    ['bob', 'x', 4, 'bob (2): no password can match: the body has no password hash for this user\n'],
    ['carol', 'x', 4, 'carol (3): no password can match: LDAP scheme {SSHA}\n'],
  ])('reports for %s and %s whether the hash matches', async (user, password, exitCode, stdout) => {
    const ran = await run(user, password, '--password', '-');
    expect(ran).toMatchObject({ exitCode, stdout });
    expect(JSON.stringify(ran)).not.toMatch(/Grüezi|h7VAVqlh|c2FsdCBv/);
  });

  test.each(['Grüezi\n', 'Grüezi\r\n', 'Grüezi\nsecond line\n'])(
    'reads the first line of %j',
    async (stdin) => {
      expect((await run('alice', stdin)).exitCode).toBe(0);
    },
  );

  it('reads a gzipped body', async () => {
    expect((await run('1', 'Grüezi', '--body', 'body.json.gz')).exitCode).toBe(0);
  });

  it('warns if a matching password is longer than the 72 bytes of bcrypt', async () => {
    const long = 'x'.repeat(73);
    const body = bodyOf({ a: createHash('md5').update(long).digest('hex') });
    const { exitCode, events } = await verify(body, 'a', { stdin: long });
    expect(exitCode).toBe(0);
    const warning = { type: 'notice', level: 'warning', code: 'password:over-72-bytes' };
    expect(events).toContainEqual(expect.objectContaining(warning));
    expect((await run('alice', 'Grüezi')).events).toEqual([]);
  });

  it('asks for the password at a terminal', async () => {
    const questions: string[] = [];
    const askSecret = async (question: string) => {
      questions.push(question);
      return 'Grüezi';
    };
    expect((await verify(all, 'alice', { askSecret })).stdout).toContain('matches');
    expect(questions).toEqual(['Password: ']);
  });
});

/** More of them in test/records/hash-forms/explain-mismatch.test.ts. */
describe('the cause of a password mismatch', () => {
  const digest = (name: string, text: string, as: 'hex' | 'base64' = 'hex') =>
    createHash(name).update(text).digest(as);
  const pbkdf2 = (text: string, salt: string | Uint8Array, stored = salt) =>
    `$pbkdf2-sha256$1000$${Buffer.from(stored).toString('base64')}$${pbkdf2Sync(text, salt, 1000, 32, 'sha256').toString('base64')}`;

  test.each<[string, string, string, RegExp, string?]>([
    [
      'a digest of the password',
      pbkdf2(digest('sha256', 'Secret1'), 'salt'),
      'Secret1',
      /SHA-256 of the password, as Meteor/,
      'prehash: hex(sha256(password))',
    ],
    ['blanks at an end', pbkdf2('Secret1', 'salt'), ' Secret1', /without the blanks at its ends/],
    ['capital letters', pbkdf2('secret1', 'salt'), 'Secret1', /in lower case/],
    ['backslashes of PHP', pbkdf2("a\\'b", 'salt'), "a'b", /backslash before each quote.* WordPress/],
    ['entities of HTML', pbkdf2('a&amp;b', 'salt'), 'a&b', /HTML entities.* phpBB/],
    [
      'MD5 twice',
      digest('md5', digest('md5', 'Secret1')),
      'Secret1',
      /hexadecimal MD5 of the password/,
      'prehash: hex(md5(password))',
    ],
    [
      'a salt at the other end',
      `$md5salted-prefix$pinch$${digest('md5', 'Secret1pinch', 'base64')}`,
      'Secret1',
      /salt comes after the password/,
      'of: md5(password + salt)',
    ],
    [
      'a salt that is hex and was decoded',
      pbkdf2('Secret1', '00ff10', Buffer.from('00ff10', 'hex')),
      'Secret1',
      /./,
      'salt: { encoding: text }',
    ],
    [
      'a salt that is base64 and was decoded',
      pbkdf2('Secret1', 'AAEC', Buffer.from('AAEC', 'base64')),
      'Secret1',
      /./,
      'salt: { encoding: text }',
    ],
    [
      'a salt that was to be decoded',
      pbkdf2('Secret1', Buffer.from('00ff10', 'hex'), '00ff10'),
      'Secret1',
      /./,
      'salt: { encoding: hex }',
    ],
    [
      'another digest of PBKDF2',
      pbkdf2('Secret1', 'salt').replace('sha256', 'sha512'),
      'Secret1',
      /./,
      'digest: sha256',
    ],
  ])('is found: %s', async (_, value, password, text, mapping) => {
    const { exitCode, stdout } = await verify(bodyOf({ ada: value }), 'ada', { stdin: password });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(text);
    expect(/In the mapping: (.*)/.exec(stdout)?.[1]).toBe(mapping);
  });
});

test.each([
  ['a password on the command line', 'alice', ['--password', 'hunter2'], 'x', 2, /can be seen by others/],
  ['the body on standard input', 'alice', ['--body', '-'], 'x', 2, /standard input is for the password/],
  ['an empty password', 'alice', [], '', 2, /the password is empty/],
  ['a user who is not in the body', 'unknown', [], 'x', 1, /^body.json: there is no user unknown$/],
  ['a hash that the library cannot compute', 'short', [], 'x', 1, /./],
])('idport password verify refuses %s', async (_, user, more, stdin, exitCode, message) => {
  const ran = await run(user, stdin, ...more);
  expect(ran.exitCode).toBe(exitCode);
  expect(ran.problem?.message).toMatch(message);
  expect(JSON.stringify(ran)).not.toContain('hunter2');
});
