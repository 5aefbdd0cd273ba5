import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSigningKeys } from '../../../src/flows/actions/signing-keys.ts';
import { createTestFolder } from '../../support/folder.ts';

const read = async (content: string) => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'a.key'), content);
  return readSigningKeys(['a.key'], cwd);
};

it.each(['somekey', 'somekey\n', '  somekey\r\n', '{"id":"1","signingKey":"somekey"}'])(
  'readSigningKeys reads a bare key or the JSON of a new target: %j',
  async (content) => {
    expect(await read(content)).toEqual(['somekey']);
  },
);

const utf16 = Buffer.from('\ufeffsomekey', 'utf16le').toString();
it.each(['', '\n', 'two keys', utf16, '{"signingKey":1}', '{"broken', '{"id":"canary"}'])(
  'readSigningKeys refuses %j without repeating its content',
  async (content) => {
    const refusal = await read(content).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'key:malformed' });
    expect(JSON.stringify(refusal)).not.toContain('canary');
  },
);

it('readSigningKeys names a missing key file', async () => {
  await expect(readSigningKeys(['none.key'], createTestFolder())).rejects.toMatchObject({
    code: 'key:unreadable',
    message: 'none.key: there is no such key file',
  });
});
