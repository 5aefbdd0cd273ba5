import { createHash, pbkdf2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { verifyPasswordOf } from '../../src/commands/password.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

const salted = 'c2FsdCBvZiBieXRlcyD/';
const hash = `$pbkdf2-sha256$1000$${salted}$h7VAVqlhOfyZoTiV2S/+gf3tDvsg4UQCTA7slHPOFlI=`;
const long = 'x'.repeat(73);
const body = JSON.stringify({
  dataOrgs: {
    orgs: [
      {
        humanUsers: [
          { userId: '1', user: { userName: 'alice', hashedPassword: { value: hash } } },
          { userId: '2', user: { userName: 'bob' } },
          { userId: '3', user: { userName: 'carol', hashedPassword: { value: `{SSHA}${salted}` } } },
          {
            userId: '6',
            user: {
              userName: 'short',
              hashedPassword: { value: '$argon2id$v=19$m=8192,t=1,p=1$c2FsdA$a2V5a2V5' },
            },
          },
        ],
      },
    ],
  },
});

function run(user: string, stdin: string | Uint8Array, ...more: readonly string[]) {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), body);
  writeFileSync(join(cwd, 'body.json.gz'), gzipSync(body));
  return runProgram(['password', 'verify', '--body', 'body.json', '--user', user, ...more], { cwd, stdin });
}

describe('idport password verify', () => {
  it('ends with 0 where the hash accepts the password', async () => {
    const ran = await run('alice', 'Grüezi', '--password', '-');
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: 'alice (1): the password matches (pbkdf2-sha256, rounds 1000)\n',
    });
  });

  it('ends with 4 where it does not', async () => {
    const ran = await run('alice', 'Grüzi');
    expect(ran).toMatchObject({
      exitCode: 4,
      stdout:
        'alice (1): the password does not match (pbkdf2-sha256, rounds 1000)\n' +
        '  Nothing that sources are known to do explains it: another password, or a secret (pepper) of the source.\n',
    });
  });

  test.each(['Grüezi\n', 'Grüezi\r\n', 'Grüezi\nsecond line\n'])(
    'takes the first line of %j',
    async (stdin) => {
      expect((await run('alice', stdin)).exitCode).toBe(0);
    },
  );

  it('reads a body that is gzipped', async () => {
    const ran = await run('1', 'Grüezi', '--body', 'body.json.gz');
    expect(ran.exitCode).toBe(0);
  });

  it('says why nothing can match', async () => {
    expect(await run('bob', 'x')).toMatchObject({
      exitCode: 4,
      stdout: 'bob (2): no password can match: the body has no password hash for this user\n',
    });
    expect(await run('carol', 'x')).toMatchObject({
      exitCode: 4,
      stdout: 'carol (3): no password can match: LDAP scheme {SSHA}\n',
    });
  });

  it('prints JSON for programs', async () => {
    const { stdout } = await run('alice', 'Grüezi', '--format', 'json');
    expect(JSON.parse(stdout)).toEqual({
      user: 'alice',
      userId: '1',
      matches: true,
      algorithm: 'pbkdf2-sha256',
      parameters: { rounds: 1000 },
    });
  });

  it('warns of a password that bcrypt would cut, where it matches', async () => {
    const cwd = createTestFolder();
    const value = createHash('md5').update(long).digest('hex');
    const sampleUsers = [{ userId: '1', user: { userName: 'a', hashedPassword: { value } } }];
    writeFileSync(
      join(cwd, 'body.json'),
      JSON.stringify({ dataOrgs: { orgs: [{ humanUsers: sampleUsers }] } }),
    );
    const argv = ['password', 'verify', '--body', 'body.json', '--user', 'a'];
    const ran = await runProgram(argv, { cwd, stdin: long });
    expect(ran.exitCode).toBe(0);
    expect(ran.events).toContainEqual(
      expect.objectContaining({ type: 'notice', level: 'warning', code: 'password:over-72-bytes' }),
    );
    expect((await run('alice', 'Grüezi')).events).toEqual([]);
  });

  it('shows the password and the hash nowhere', async () => {
    const ran = await run('alice', 'Grüezi');
    expect(JSON.stringify(ran)).not.toMatch(/Grüezi|h7VAVqlh|c2FsdCBv/);
  });

  it('asks a user at a terminal', async () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'body.json'), body);
    const { context, out } = createTestContext({ cwd });
    const questions: string[] = [];
    const askSecret = async (question: string): Promise<string> => {
      questions.push(question);
      return 'Grüezi';
    };
    const options = { body: 'body.json', user: 'alice', format: 'text' } as const;
    expect(await verifyPasswordOf(options, { ...context, askSecret })).toBe(0);
    expect(questions).toEqual(['Password: ']);
    expect(out()).toContain('matches');
  });
});

describe('why a password does not match', () => {
  const digest = (name: string, text: string): string => createHash(name).update(text).digest('hex');
  const pbkdf2 = (text: string, salt: string): string =>
    `$pbkdf2-sha256$1000$${Buffer.from(salt).toString('base64')}$${pbkdf2Sync(text, salt, 1000, 32, 'sha256').toString('base64')}`;

  async function explain(value: string, password: string): Promise<unknown> {
    const cwd = createTestFolder();
    const users = [{ userId: '1', user: { userName: 'ada', hashedPassword: { value } } }];
    writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [{ humanUsers: users }] } }));
    const argv = ['password', 'verify', '--body', 'body.json', '--user', 'ada', '--format', 'json'];
    const { stdout, exitCode } = await runProgram(argv, { cwd, stdin: password });
    expect(exitCode).toBe(4);
    return (JSON.parse(stdout) as { cause?: unknown }).cause;
  }

  test.each<[string, string, string, RegExp, string | undefined]>([
    [
      'a digest of the password',
      pbkdf2(digest('sha256', 'Secret1'), 'salt'),
      'Secret1',
      /SHA-256 of the password, as Meteor/,
      'prehash: hex(sha256(password))',
    ],
    ['blanks at an end', pbkdf2('Secret1', 'salt'), ' Secret1', /without the blanks at its ends/, undefined],
    ['capital letters', pbkdf2('secret1', 'salt'), 'Secret1', /in lower case/, undefined],
    [
      'backslashes of PHP',
      pbkdf2("a\\'b", 'salt'),
      "a'b",
      /backslash before each quote.* WordPress/,
      undefined,
    ],
    ['entities of HTML', pbkdf2('a&amp;b', 'salt'), 'a&b', /HTML entities.* phpBB/, undefined],
    [
      'MD5 twice',
      digest('md5', digest('md5', 'Secret1')),
      'Secret1',
      /hexadecimal MD5 of the password/,
      'prehash: hex(md5(password))',
    ],
    [
      'a salt at the other end',
      `$md5salted-prefix$pinch$${createHash('md5').update('Secret1pinch').digest('base64')}`,
      'Secret1',
      /salt stands after the password/,
      'of: md5(password + salt)',
    ],
  ])('%s', async (_, value, password, text, mapping) => {
    const cause = await explain(value, password);
    expect(cause).toMatchObject({
      text: expect.stringMatching(text),
      ...(mapping === undefined ? {} : { mapping }),
    });
  });

  test.each([
    ['hex that was decoded', Buffer.from('00ff10', 'hex'), '00ff10', 'text'],
    ['base64 that was decoded', Buffer.from('AAEC', 'base64'), 'AAEC', 'text'],
  ])('a salt is %s though it is text', async (_, decoded, textSalt, encoding) => {
    const key = pbkdf2Sync('Secret1', textSalt, 1000, 32, 'sha256').toString('base64');
    const cause = await explain(`$pbkdf2-sha256$1000$${decoded.toString('base64')}$${key}`, 'Secret1');
    expect(cause).toMatchObject({ mapping: `salt: { encoding: ${encoding} }` });
  });

  it('a salt is taken as text though it is hex', async () => {
    const key = pbkdf2Sync('Secret1', Buffer.from('00ff10', 'hex'), 1000, 32, 'sha512').toString('base64');
    const cause = await explain(
      `$pbkdf2-sha512$1000$${Buffer.from('00ff10').toString('base64')}$${key}`,
      'Secret1',
    );
    expect(cause).toMatchObject({ mapping: 'salt: { encoding: hex }' });
  });

  it('the digest of PBKDF2 is another one', async () => {
    const mcf = pbkdf2('Secret1', 'salt').replace('sha256', 'sha512');
    expect(await explain(mcf, 'Secret1')).toMatchObject({ mapping: 'digest: sha256' });
  });
});

describe('what cannot be asked', () => {
  test.each<[string, string, readonly string[], string, RegExp]>([
    ['a password on the command line', 'alice', ['--password', 'hunter2'], 'x', /can be seen by others/],
    ['the body on standard input', 'alice', ['--body', '-'], 'x', /standard input is for the password/],
    ['an empty password', 'alice', [], '', /the password is empty/],
  ])('%s is wrong usage', async (_, user, more, stdin, message) => {
    const ran = await run(user, stdin, ...more);
    expect(ran.exitCode).toBe(2);
    expect(ran.problem?.message).toMatch(message);
    expect(JSON.stringify(ran)).not.toContain('hunter2');
  });

  it('a user who is not in the body', async () => {
    const ran = await run('unknown', 'x');
    expect(ran).toMatchObject({
      exitCode: 1,
      problem: { message: 'body.json: there is no user unknown' },
    });
  });

  it('a hash that the library cannot compute is told apart from one that does not match', async () => {
    const ran = await run('short', 'x');
    expect(ran).toMatchObject({ exitCode: 1, problem: { code: 'password:not-checked' } });
  });
});
