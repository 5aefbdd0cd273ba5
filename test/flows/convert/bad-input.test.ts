import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { convertRealm, keycloakUser, realmOf } from '../../support/conversion.ts';

const whole = JSON.stringify(realmOf(keycloakUser('ada')));

it.each([
  ['in UTF-16 that is cut', Buffer.from(`\ufeff${whole}`, 'utf16le').subarray(0, -1), /UTF-16/],
  ['with bytes that are not UTF-8', Buffer.from(whole.replace('"A"', '"\u00e9"'), 'latin1'), /UTF-8/],
  ['of gzip that is cut off', gzipSync(whole).subarray(0, 60), /realm\.json/],
])('an input %s stops the run without a body', async (_, bytes, message) => {
  const { exitCode, problem, cwd } = await convertRealm(bytes);
  expect(problem).toMatchObject({ message, code: /^input:/ });
  expect(exitCode).toBe(1);
  expect(readdirSync(cwd)).toEqual(['realm.json']);
});
