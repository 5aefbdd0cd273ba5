import { expect, it } from 'vitest';
import { readSecrets } from '../../../src/commands/jit/verifiers.ts';
import { openFolder } from '../../support/workspace.ts';

const read = (name: string, bytes: string) => {
  const { cwd, write } = openFolder();
  write('file', Buffer.from(bytes, 'latin1'));
  return readSecrets([`${name}=file`], { cwd })[name];
};

it.each([
  ['no line end', 'pepper', 'p\xe4p\n ', 'p\xe4p\n '],
  ['a line feed', 'pepper', 'pap\n\n', 'pap\n'],
  ['the line end of Windows', 'pepper', 'pap\r\n', 'pap'],
  ['base64', 'base64_key', 'cGFw\r\n', 'pap'],
])('readSecrets strips at most one line end: %s', (_, name, bytes, secret) => {
  expect(Buffer.from(read(name, bytes)!).toString('latin1')).toBe(secret);
});

it.each(['', '\n', '\r\n'])('readSecrets refuses a file without a secret: %j', (bytes) => {
  expect(() => read('pepper', bytes)).toThrow('--secret pepper: file is empty');
});
