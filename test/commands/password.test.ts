import { createHash } from 'node:crypto';
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
      stdout: 'alice (1): the password does not match (pbkdf2-sha256, rounds 1000)\n',
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
      family: 'pbkdf2-sha256',
      parameters: { rounds: 1000 },
    });
  });

  it('warns of a password that bcrypt would cut, where it matches', async () => {
    const cwd = createTestFolder();
    const value = createHash('md5').update(long).digest('hex');
    const people = [{ userId: '1', user: { userName: 'a', hashedPassword: { value } } }];
    writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [{ humanUsers: people }] } }));
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

  it('asks a person at a terminal', async () => {
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
    const ran = await run('nobody', 'x');
    expect(ran).toMatchObject({
      exitCode: 1,
      problem: { message: 'body.json: there is no user nobody' },
    });
  });

  it('a hash that the library cannot compute is told apart from one that does not match', async () => {
    const ran = await run('short', 'x');
    expect(ran).toMatchObject({ exitCode: 1, problem: { code: 'password:not-checked' } });
  });
});
