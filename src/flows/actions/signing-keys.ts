/** Reads files with signing keys, anew for each call, so that a rotation needs no restart. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { IdportError } from '../../errors.ts';
import { parseObject, firstText } from '../../lib/json-value.ts';

/** A file contains one key as plain text, or the JSON that `idport actions target create --show-key` prints. */
export async function readSigningKeys(paths: readonly string[], cwd: string) {
  return Promise.all(paths.map((path) => readSigningKey(path, cwd)));
}

async function readSigningKey(path: string, cwd: string) {
  const text = await readFile(resolve(cwd, path), 'utf8').catch((cause: unknown) => {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new IdportError(
      'key:unreadable',
      missing ? `${path}: there is no such key file` : `${path}: the key file cannot be read`,
      'Write it with `idport actions target create --signing-key-file=<file>`.',
      cause,
    );
  });
  const key = parseSigningKey(text);
  if (key !== undefined) return key;
  throw new IdportError(
    'key:malformed',
    `${path}: this is not a file with one signing key`,
    'It holds the key alone, or JSON with the field signingKey.',
  );
}

/** Returns the key in a file, or undefined if the file has none, or something else. */
export function parseSigningKey(text: string) {
  const content = text.trim();
  const key = content.startsWith('{') ? firstText(parseObject(content), 'signingKey') : content;
  // Other characters mean that the file is not UTF-8.
  return /^[!-~]+$/.test(key) ? key : undefined;
}
