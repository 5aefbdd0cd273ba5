import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { convertFiles, keycloakUser } from '../../support/conversion.ts';

const fixture = fileURLToPath(new URL('../../../fixtures/keycloak/typical/', import.meta.url));
const realm = readFileSync(join(fixture, 'realm.json'));
const expected = (JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as { body: unknown }).body;

const migrate = (files: object, ...flags: readonly string[]) =>
  convertFiles(['migrate', 'keycloak', '--org=1', ...flags], files);

/** A realm of one user. */
const smallRealm = (username: string, id: string): object => ({
  realm: 'harbour',
  users: [keycloakUser(username, { id })],
});

const text = realm.toString();
it.each([
  ['as it is', realm],
  ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), realm])],
  ['with every other character escaped', Buffer.from(escapeAll(JSON.stringify(JSON.parse(text))))],
  ['with gzip, and no word of it in the name', gzipSync(realm)],
  ['in two gzip members', Buffer.concat([gzipSync(realm.subarray(0, 999)), gzipSync(realm.subarray(999))])],
])('migrate writes the same body for an export %s, from a file and from standard input', async (_, bytes) => {
  const ran = await migrate({ 'export.bin': bytes }, '--realm=export.bin');
  expect(ran.json('importBody.json')).toEqual(expected);
  const argv = ['migrate', 'keycloak', '--org=1', '--realm=-'];
  expect((await convertFiles(argv, {}, { stdin: bytes })).json('importBody.json')).toEqual(expected);
});

/** What Python writes: everything that is not ASCII as an escape. */
function escapeAll(text: string) {
  return text.replace(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

describe('several --realm files', () => {
  it('are one run that finds duplicates and names the position of the first', async () => {
    const files = { 'a.json': smallRealm('mia', 'id-1'), 'b.json': smallRealm('MIA', 'id-2') };
    const { exitCode, events } = await migrate(files, '--realm=a.json', '--realm=b.json');
    expect(exitCode).toBe(3);
    expect(events.filter(({ type }) => type === 'record:rejected')).toEqual([
      {
        type: 'record:rejected',
        place: { input: 'b.json', index: 0, id: 'id-2', userName: 'MIA' },
        code: 'user-skipped:duplicate-username',
        detail: expect.stringContaining('a.json') as string,
      },
    ]);
  });

  it('may follow one flag, with any characters in their names', async () => {
    const files = { 'a, or not.json': smallRealm('mia', 'id-1'), 'b.json': smallRealm('ben', 'id-2') };
    const ran = await migrate(files, '--realm', 'a, or not.json', 'b.json');
    expect(ran).toMatchObject({ exitCode: 0, names: ['mia', 'ben'] });
  });

  it('are read along with a realm file that has no users, with a notice', async () => {
    const files = {
      'harbour-realm.json': { realm: 'harbour', enabled: true },
      'harbour-users-0.json': smallRealm('mia', 'id-1'),
    };
    const ran = await migrate(files, '--realm=harbour-realm.json');
    expect(JSON.stringify(ran.events.filter(({ type }) => type === 'notice'))).toContain(
      'harbour-users-0.json',
    );
    expect(ran.names).toEqual(['mia']);
  });
});
