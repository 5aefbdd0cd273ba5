import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';

const fixture = fileURLToPath(new URL('../../../fixtures/keycloak/typical/', import.meta.url));
const realm = readFileSync(join(fixture, 'realm.json'));
const expected = (JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as { body: unknown }).body;

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

const migrate = (flags: readonly string[], stdin?: Uint8Array): Promise<Ran> =>
  runProgram(['migrate', 'keycloak', '--org=1', ...flags], stdin ? { cwd, stdin } : { cwd });

const written = (name = 'importBody.json'): unknown => JSON.parse(readFileSync(join(cwd, name), 'utf8'));

/** A realm of one user. */
const smallRealm = (username: string, id: string): string =>
  JSON.stringify({
    realm: 'harbour',
    users: [{ id, username, firstName: 'A', lastName: 'B', email: `${username}@example.org`, enabled: true }],
  });

describe('the same export in another coat', () => {
  const text = realm.toString();
  it.each<[string, Uint8Array]>([
    ['as it is', realm],
    ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), realm])],
    ['with CRLF', Buffer.from(text.replaceAll('\n', '\r\n'))],
    ['without any blanks', Buffer.from(JSON.stringify(JSON.parse(text)))],
    ['indented with tabs', Buffer.from(JSON.stringify(JSON.parse(text), undefined, '\t'))],
    ['with every other character escaped', Buffer.from(escapeAll(JSON.stringify(JSON.parse(text))))],
    ['with gzip, and no word of it in the name', gzipSync(realm)],
    ['in two gzip members', Buffer.concat([gzipSync(realm.subarray(0, 999)), gzipSync(realm.subarray(999))])],
  ])('%s comes out the same, from a file and from standard input', async (_, bytes) => {
    writeFileSync(join(cwd, 'export.bin'), bytes);
    expect((await migrate(['--realm=export.bin'])).problem).toBeUndefined();
    expect(written()).toEqual(expected);
    expect((await migrate(['--realm=-', '--output=piped.json'], bytes)).problem).toBeUndefined();
    expect(written('piped.json')).toEqual(expected);
  });
});

/** What Python writes: everything that is not ASCII as an escape. */
function escapeAll(text: string): string {
  return text.replace(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

describe('several inputs', () => {
  it('are one run: who comes twice is found, and the position of the first is told', async () => {
    writeFileSync(join(cwd, 'a.json'), smallRealm('mia', 'id-1'));
    writeFileSync(join(cwd, 'b.json'), smallRealm('MIA', 'id-2'));
    const { exitCode, events } = await migrate(['--realm=a.json', '--realm=b.json']);
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

  it('may be named one after the other, whatever is in their names', async () => {
    writeFileSync(join(cwd, 'a, or not.json'), smallRealm('mia', 'id-1'));
    writeFileSync(join(cwd, 'b.json'), smallRealm('ben', 'id-2'));
    expect((await migrate(['--realm', 'a, or not.json', 'b.json'])).exitCode).toBe(0);
    expect(written()).toMatchObject({ dataOrgs: { orgs: [{ humanUsers: [{}, {}] }] } });
  });

  it('of one folder come in the order of their numbers', async () => {
    for (const n of [10, 2, 9]) {
      writeFileSync(join(cwd, `harbour-users-${n}.json`), smallRealm(`user-${n}`, `id-${n}`));
    }
    await migrate(['--realm=.']);
    expect(JSON.stringify(written()).match(/"userId":"id-\d+"/g)).toEqual([
      '"userId":"id-2"',
      '"userId":"id-9"',
      '"userId":"id-10"',
    ]);
  });

  it('are found beside the half that has no users, and that is said', async () => {
    writeFileSync(join(cwd, 'harbour-realm.json'), '{"realm":"harbour","enabled":true}');
    writeFileSync(join(cwd, 'harbour-users-0.json'), smallRealm('mia', 'id-1'));
    const { events } = await migrate(['--realm=harbour-realm.json']);
    expect(JSON.stringify(events.filter(({ type }) => type === 'notice'))).toContain('harbour-users-0.json');
    expect(written()).toMatchObject({ dataOrgs: { orgs: [{ humanUsers: [{ userId: 'id-1' }] }] } });
  });
});

describe('the body', () => {
  it('never takes the place of an input', async () => {
    writeFileSync(join(cwd, 'realm.json'), realm);
    const { exitCode } = await migrate(['--realm=realm.json', '--output=./realm.json']);
    expect(exitCode).toBe(2);
    expect(readFileSync(join(cwd, 'realm.json'))).toEqual(realm);
  });
});
