/** Files that sources have written, or that others publish: all users are accounted for, and no password is lost. */
import { dirname, isAbsolute } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtInNames } from '../../src/sources/table/built-in-names.ts';
import { builtInText } from '../../src/sources/table/built-in-mappings.ts';
import { readMapping } from '../../src/sources/table/mapping/read.ts';
import { readProject } from '../support/folder.ts';
import { exportPath, samplePath, readFixture } from '../support/samples.ts';
import { runTable, type TableRun } from '../support/table-run.ts';

interface Counts {
  readonly read: number;
  /** Rows that are not users, or that the source has deleted. */
  readonly skipped?: number;
  /** All others where absent. */
  readonly written?: number;
  /** How many of those written have a password that works: counted in the file, not by this program. */
  readonly passwords?: number;
  readonly otps?: number;
  readonly recoveryCodes?: number;
  readonly links?: number;
}

interface Sample extends Counts {
  /** The name of its folder where absent. */
  readonly source?: string;
  /** A path, or several. */
  readonly users: string | readonly string[];
  /** Files of joined tables. */
  readonly tables?: Readonly<Record<string, string>>;
  readonly map?: string;
  readonly flags?: TableRun['flags'];
  /** Written by the program of the source; all others were made, or published by others as an example. */
  readonly isExport?: true;
}

const samples: readonly Sample[] = [
  ...parse(readProject('fixtures/samples.yaml')),
  {
    users: 'auth0/peer-zt-users.ndjson',
    flags: { passwords: samplePath('auth0/peer-zt-passwords.ndjson') ?? '' },
    read: 5,
    passwords: 5,
  },
  {
    // No column says that its user store hashes with PBKDF2.
    users: 'wso2/synthetic-UM_USER.csv',
    map: builtInText('wso2')!.replace('algorithm: hash_algorithm', 'algorithm: { value: PBKDF2 }'),
    read: 1,
    passwords: 1,
  },
];

const realm = (name: string, counts: Counts): Sample => ({
  source: 'keycloak',
  users: exportPath(name),
  ...counts,
});

/** Made for this project, on real Keycloaks; `fixtures/keycloak` has what comes of the others. */
const ownExports: readonly Sample[] = [
  realm('kc-26.4.7-harbour/partial-export.json', { read: 2, skipped: 2 }),
  // Without users, but for the two of service accounts; and an answer of the interface, without credentials.
  realm('kc-26.4.7-harbour/rest-users.json', { read: 270, written: 269 }),
  realm('kc-26.7.3-orchard/orchard.json', { read: 495, written: 492, skipped: 2, passwords: 478, otps: 42 }),
];

/** Refused before anything is read. */
const refused: readonly (readonly [source: string, users: string, message: RegExp])[] = [
  ['django', 'django/generated-dumpdata-users.xml', /it is XML/],
  ['wordpress', 'wordpress/generated-mysqldump.xml', /it is XML/],
  ['devise', 'generic/generated-pg_dump-15-inserts.sql', /public\.users have no names of columns/],
];

const hasSamples = samplePath('INDEX.md') !== undefined;

it.each([...(hasSamples ? samples : []), ...ownExports])(
  'migrate accounts for every user of $users',
  async (sample) => {
    const { read, skipped = 0, passwords = 0, otps = 0, recoveryCodes = 0, links = 0 } = sample;
    const { written = read - skipped } = sample;
    const { tally, users } = await run(sample);
    const withField = (field: 'hashedPassword' | 'otpCode' | 'recoveryCodes' | 'idps') =>
      users.flatMap<unknown>(({ user }) => user[field] ?? []).length;
    expect(tally).toMatchObject({ read, skipped, rejected: read - written - skipped });
    expect({
      written: users.length,
      passwords: withField('hashedPassword'),
      otps: withField('otpCode'),
      recoveryCodes: withField('recoveryCodes'),
      links: withField('idps'),
    }).toEqual({ written, passwords, otps, recoveryCodes, links });
  },
);

describe.skipIf(!hasSamples)('migrate of real exports (needs the samples)', () => {
  it.each(refused)('refuses %s: %s', async (source, users, message) => {
    await expect(run({ source, users, read: 0 })).rejects.toThrow(message);
  });
});

it('a source is called proven only with a real export or a run of its program', async () => {
  for (const name of builtInNames) {
    const { about } = await readMapping(builtInText(name)!, name);
    const own = samples.filter((sample) => sourceOf(sample) === name);
    let proven = 'sample';
    if (own.length === 0) proven = 'fixture';
    const { exportedBy, hashedBy } = readFixture(name);
    const exported = about?.versions !== undefined && hashedBy === undefined;
    if (own.some(({ isExport }) => isExport) || exported) proven = 'export';
    expect([name, about?.proven]).toEqual([name, proven]);
    const unnamed = [exportedBy ?? hashedBy ?? []]
      .flat()
      .filter((program) => !about?.versions?.includes(program));
    expect([name, unnamed]).toEqual([name, []]);
  }
});

const sourceOf = ({ source, users }: Sample) => source ?? dirname([users].flat()[0]!);
const pathOf = (file: string) => (isAbsolute(file) ? file : samplePath(file)!);

function run(sample: Sample) {
  const { users, tables = {}, map, flags } = sample;
  const provider = sourceOf(sample);
  return runTable({
    provider,
    users: '',
    ...(map && { map }),
    flags: {
      users: [],
      [provider === 'keycloak' ? 'realm' : 'users']: [users].flat().map(pathOf),
      table: Object.entries(tables).map(([name, file]) => `${name}=${pathOf(file)}`),
      'target-profile': 'all-verifiers',
      'on-refused-hash': 'keep',
      'email-fallback': 'placeholder',
      'email-domain': 'example.org',
      ...flags,
    },
  });
}
