import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { convertFiles } from '../../support/conversion.ts';
import { readProject, typicalRealm } from '../../support/folder.ts';

const realm = readFileSync(typicalRealm);
const expected = JSON.parse(readProject('fixtures/keycloak/typical/expected.json')).body;

const text = realm.toString();
it.each([
  ['as it is', realm],
  ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), realm])],
  ['with every other character escaped', Buffer.from(escapeAll(JSON.stringify(JSON.parse(text))))],
  ['with gzip, and no word of it in the name', gzipSync(realm)],
  ['in two gzip members', Buffer.concat([gzipSync(realm.subarray(0, 999)), gzipSync(realm.subarray(999))])],
])('migrate writes the same body for an export %s, from a file and from standard input', async (_, bytes) => {
  for (const name of ['export.bin', '-']) {
    const argv = ['migrate', 'keycloak', '--org=1', `--realm=${name}`];
    const ran = await convertFiles(argv, { 'export.bin': bytes }, { stdin: bytes });
    expect(ran.json('importBody.json')).toEqual(expected);
  }
});

/** What Python writes: everything that is not ASCII as an escape. */
function escapeAll(text: string) {
  return text.replace(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
