/** The fixture of each built-in source: an export, its tables, and what must come of it. fixtures/README.md says more. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReportFile } from '../../src/wire/report.ts';
import { type Ran, runProgram } from './program.ts';

export interface SourceFixture {
  readonly about: string;
  /** Program and version that wrote these files; the mapping names it under `versions`. */
  readonly exportedBy?: string;
  /** Programs that hashed the passwords of a table of our own; the mapping names them under `versions`. */
  readonly hashedBy?: readonly string[];
  readonly users: readonly string[];
  /** Files of the tables to join. */
  readonly table?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Passwords by user name. */
  readonly logins: Readonly<Record<string, string>>;
  readonly exit: number;
  readonly records: readonly {
    readonly index: number;
    readonly outcome: string;
    readonly codes: readonly string[];
  }[];
  readonly body: unknown;
}

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

export function folderOf(source: string): string {
  return join(fixtures, source);
}

export function readFixture(source: string): SourceFixture {
  return JSON.parse(readFileSync(join(folderOf(source), 'expected.json'), 'utf8')) as SourceFixture;
}

export interface MigratedFixture extends Ran {
  readonly body: {
    readonly dataOrgs: { readonly orgs: readonly { readonly humanUsers?: readonly unknown[] }[] };
  };
  readonly records: SourceFixture['records'];
  readonly summary: ReportFile['summary'];
}

/** The body and the report are put into `cwd`. `more` are further flags. */
export async function migrateFixture(
  source: string,
  cwd: string,
  more: readonly string[] = [],
): Promise<MigratedFixture> {
  const { users, table = {}, flags = [] } = readFixture(source);
  const folder = folderOf(source);
  const ran = await runProgram(
    [
      'migrate',
      source,
      '--org=1',
      '--target-profile=all-verifiers',
      '--report=report.json',
      '--output=body.json',
      ...users.map((file) => `--users=${join(folder, file)}`),
      ...Object.entries(table).map(([name, file]) => `--table=${name}=${join(folder, file)}`),
      ...flags,
      ...more,
    ],
    { cwd },
  );
  if (ran.problem !== undefined)
    throw new Error(`${source}: ${ran.problem.message} ${ran.problem.hint ?? ''}`);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
  const report = read('report.json') as ReportFile;
  return {
    ...ran,
    body: read('body.json') as MigratedFixture['body'],
    // Who is listed only for how they sign in is no finding.
    records: report.users
      .filter(({ outcome }) => outcome !== 'written')
      .map(({ index, outcome, reasons }) => ({
        index,
        outcome,
        codes: reasons.map(({ code }) => code).toSorted(),
      })),
    summary: report.summary,
  };
}
