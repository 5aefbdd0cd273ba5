import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

async function migrate(bytes: string | Uint8Array, flags: readonly string[] = []): Promise<Ran> {
  writeFileSync(join(cwd, 'realm.json'), bytes);
  return runProgram(['migrate', 'keycloak', '--org=1', '--realm=realm.json', ...flags], { cwd });
}

const sampleUser = (username: string, more: object = {}): object => ({
  id: `id-${username}`,
  username,
  firstName: 'A',
  lastName: 'B',
  email: `${username}@example.org`,
  enabled: true,
  ...more,
});
const realm = (...users: unknown[]): string => JSON.stringify({ realm: 'r', users });

/** Who was written. */
function userIds(): string[] {
  const body = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8')) as {
    dataOrgs: { orgs: { humanUsers: { userId: string }[] }[] };
  };
  return body.dataOrgs.orgs.flatMap(({ humanUsers }) => humanUsers.map(({ userId }) => userId));
}

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

describe('a file that cannot be read to its end stops the run and leaves no body', () => {
  const whole = realm(sampleUser('ada'), sampleUser('ben'), sampleUser('cem'));
  const cut = whole.indexOf('ben@');

  it.each<[string, string | Uint8Array, RegExp]>([
    ['cut in a string', whole.slice(0, cut), /realm\.json/],
    ['cut between two users', whole.slice(0, whole.indexOf(',{"id":"id-ben"')), /realm\.json/],
    ['cut behind the list', whole.slice(0, -1), /realm\.json/],
    ['with a comma too many', whole.replace(']}', ',]}'), /realm\.json:1:\d+ \(byte \d+\)/],
    ['with a comma too few', whole.replace('},{', '}{'), /realm\.json:1:\d+ \(byte \d+\)/],
    ['with something behind the end', `${whole}\n{}x`, /realm\.json/],
    ['with a comment', whole.replace('[{', '[/* two */{'), /realm\.json/],
    ['in UTF-16 that is cut', Buffer.from(`\ufeff${whole}`, 'utf16le').subarray(0, -1), /UTF-16/],
    ['in UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), /UTF-32/],
    ['with bytes that are not UTF-8', Buffer.from(whole.replace('"A"', '"\u00e9"'), 'latin1'), /UTF-8/],
    ['of gzip that is cut off', gzipSync(whole).subarray(0, 60), /realm\.json/],
  ])('%s', async (_, bytes, message) => {
    const { exitCode, problem } = await migrate(bytes);
    expect(problem?.message).toMatch(message);
    expect(problem?.code).toMatch(/^input:/);
    expect(exitCode).toBe(1);
    expect(readdirSync(cwd)).toEqual(['realm.json']);
  });

  it('says how many users were read before', async () => {
    const { problem } = await migrate(whole.slice(0, cut), ['--threads=1']);
    expect(problem?.message).toContain('1 user could be read before, and nothing was written');
  });

  it('a path that is not there, with the name that was meant', async () => {
    writeFileSync(join(cwd, 'realm-export.json'), realm(sampleUser('ada')));
    const { problem, exitCode } = await runProgram(
      ['migrate', 'keycloak', '--org=1', '--realm=realm-exprot.json'],
      { cwd },
    );
    expect(exitCode).toBe(1);
    expect(problem?.message).toMatch(/realm-exprot\.json.*(no such file|does not exist)/);
    expect(problem?.hint).toContain('realm-export.json');
  });

  it('a folder without an export', async () => {
    mkdirSync(join(cwd, 'empty'));
    const { problem, exitCode } = await runProgram(['migrate', 'keycloak', '--org=1', '--realm=empty'], {
      cwd,
    });
    expect(exitCode).toBe(2);
    expect(problem?.message).toContain('empty');
  });
});

describe('a broken record costs only itself', () => {
  it.each<[string, unknown]>([
    ['a number', 17],
    ['a text', 'ada'],
    ['null', null],
    ['a list', [sampleUser('x')]],
    ['a user name that is an object', sampleUser('x', { username: { name: 'x' } })],
    ['an address that is a list', sampleUser('x', { email: ['x@example.org'] })],
  ])('%s', async (_, broken) => {
    const { exitCode, problem } = await migrate(realm(sampleUser('ada'), broken, sampleUser('ben')));
    expect(problem).toBeUndefined();
    expect(exitCode).toBe(3);
    expect(userIds()).toEqual(['id-ada', 'id-ben']);
  });

  it('and a credential that cannot be read costs only the password', async () => {
    const credentials = [{ type: 'password', secretData: '{"value":', credentialData: '{}' }];
    const { exitCode } = await migrate(realm(sampleUser('ada', { credentials })));
    expect(exitCode).toBe(0);
    expect(userIds()).toEqual(['id-ada']);
  });
});

describe('odd but legal', () => {
  it('lists nested 10,000 deep, in a skipped key and in a user', async () => {
    const text = realm(sampleUser('ada', { attributes: { x: 0 } }), sampleUser('ben'))
      .replace('"x":0', `"x":${deep('[', ']', 10_000)}`)
      .replace('"realm":"r"', `"realm":"r","roles":${deep('{"a":', '}', 10_000).replace('{"a":}', '{}')}`);
    const { problem } = await migrate(text);
    expect(problem).toBeUndefined();
    expect(userIds()).toContain('id-ben');
  });

  it('one user of 50 MB', async () => {
    const attributes = { note: ['x'.repeat(50_000_000)] };
    const { problem } = await migrate(realm(sampleUser('ada', { attributes }), sampleUser('ben')), [
      '--threads=1',
    ]);
    expect(problem).toBeUndefined();
    expect(userIds()).toEqual(['id-ada', 'id-ben']);
  });

  it('numbers above 2^53, and numbers beyond all bounds', async () => {
    const text = realm(sampleUser('ada', { createdTimestamp: 0 }), sampleUser('ben', { notBefore: 0 }))
      .replace('"createdTimestamp":0', '"createdTimestamp":12345678901234567890')
      .replace('"notBefore":0', '"notBefore":1e999');
    await migrate(text);
    expect(userIds()).toEqual(['id-ada', 'id-ben']);
  });

  it('a key twice in one user: the last one counts, as it does for JSON.parse', async () => {
    await migrate(realm(sampleUser('ada')).replace('"id":"id-ada"', '"id":"first","id":"id-last"'));
    expect(userIds()).toEqual(['id-last']);
  });

  it('other keys named users, at other depths and in strings', async () => {
    const decoy = JSON.stringify({ users: [sampleUser('decoy')] });
    const before = `{"groups":[${decoy}],"displayName":${JSON.stringify(decoy)},`;
    const after = `,"clients":[${decoy}],"x":{"users":[{}]}}`;
    await migrate(realm(sampleUser('ada')).replace('{', before).replace(/}$/, after));
    expect(userIds()).toEqual(['id-ada']);
  });

  it('users first, users last, users twice', async () => {
    const list = JSON.stringify([sampleUser('ada')]);
    await migrate(`{"users":${list},"realm":"r"}`);
    expect(userIds()).toEqual(['id-ada']);
    const { exitCode } = await migrate(`{"users":${list},"realm":"r","users":${list}}`);
    expect(exitCode).not.toBe(0);
  });

  it.each([['null'], ['[]'], [undefined]])('a realm whose users are %s is worth a warning', async (users) => {
    const { exitCode, events } = await migrate(
      `{"realm":"r"${users === undefined ? '' : `,"users":${users}`}}`,
    );
    expect(exitCode).toBe(3);
    expect(events.some((event) => event.type === 'notice' && event.level === 'warning')).toBe(true);
  });
});

describe('a hash that the target refuses, with --on-refused-hash=fail', () => {
  it('stops the run, names the user and the setting, and leaves nothing', async () => {
    const bytes = Buffer.alloc(32).toString('base64');
    const credential = {
      type: 'password',
      secretData: JSON.stringify({ value: bytes, salt: bytes }),
      credentialData: JSON.stringify({ algorithm: 'pbkdf2-sha256', hashIterations: 27_500 }),
    };
    const sampleUsers = realm(sampleUser('ada'), sampleUser('cem', { credentials: [credential] }));
    const flags = ['--on-refused-hash=fail', '--target-profile=self-hosted'];
    const { exitCode, problem } = await migrate(sampleUsers, flags);
    expect(exitCode).toBe(1);
    expect(problem?.message).toMatch(/^realm\.json, cem \(id-cem\): the target would refuse/);
    expect(readdirSync(cwd).filter((name) => name.startsWith('importBody'))).toEqual([]);
  });
});
