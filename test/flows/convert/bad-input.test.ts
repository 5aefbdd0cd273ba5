import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { convertFiles, convertRealm, keycloakUser as sampleUser, realmOf } from '../../support/conversion.ts';

const realm = (...users: unknown[]) => JSON.stringify(realmOf(...users));

describe('an input that cannot be read to its end stops the run without a body', () => {
  const whole = realm(sampleUser('ada'), sampleUser('ben'), sampleUser('cem'));
  const cut = whole.indexOf('ben@');

  it.each([
    ['cut in a string', whole.slice(0, cut), /realm\.json/],
    ['with a comma too many', whole.replace(']}', ',]}'), /realm\.json:1:\d+ \(byte \d+\)/],
    ['in UTF-16 that is cut', Buffer.from(`\ufeff${whole}`, 'utf16le').subarray(0, -1), /UTF-16/],
    ['with bytes that are not UTF-8', Buffer.from(whole.replace('"A"', '"\u00e9"'), 'latin1'), /UTF-8/],
    ['of gzip that is cut off', gzipSync(whole).subarray(0, 60), /realm\.json/],
  ])('%s', async (_, bytes, message) => {
    const { exitCode, problem, cwd } = await convertRealm(bytes);
    expect(problem?.message).toMatch(message);
    expect(problem?.code).toMatch(/^input:/);
    expect(exitCode).toBe(1);
    expect(readdirSync(cwd)).toEqual(['realm.json']);
  });

  it('reports how many users were read before', async () => {
    const { problem } = await convertRealm(whole.slice(0, cut), '--threads=1');
    expect(problem?.message).toContain('1 user could be read before, and nothing was written');
  });

  it('refuses a folder without an export', async () => {
    const argv = ['migrate', 'keycloak', '--org=1', '--realm=empty'];
    const { problem, exitCode } = await convertFiles(argv, { 'empty/notes.txt': 'nothing' });
    expect(exitCode).toBe(2);
    expect(problem?.message).toContain('empty');
  });
});

it('--on-refused-hash=fail stops the run, names the user, and leaves no file', async () => {
  const bytes = Buffer.alloc(32).toString('base64');
  const credential = {
    type: 'password',
    secretData: JSON.stringify({ value: bytes, salt: bytes }),
    credentialData: JSON.stringify({ algorithm: 'pbkdf2-sha256', hashIterations: 27_500 }),
  };
  const users = realm(sampleUser('ada'), sampleUser('cem', { credentials: [credential] }));
  const ran = await convertRealm(users, '--on-refused-hash=fail', '--target-profile=self-hosted');
  expect(ran.exitCode).toBe(1);
  expect(ran.problem?.message).toMatch(/^realm\.json, cem \(id-cem\): the target would refuse/);
  expect(readdirSync(ran.cwd)).toEqual(['realm.json']);
});
