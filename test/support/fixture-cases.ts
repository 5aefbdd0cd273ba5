/** Makes a test of each fixture of a provider: converts it and compares the result with the expected one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bcryptVerify } from 'hash-wasm';
import { expect, it } from 'vitest';
import { type ReportFile, stoppedReportFile } from '../../src/wire/reports.ts';
import { fixture } from './folder.ts';
import { openFolder } from './workspace.ts';

/** fixtures/README.md says what each key means. */
interface Expected {
  readonly about: string;
  readonly flags?: readonly string[];
  readonly exit?: number;
  readonly body?: any;
  readonly records?: readonly { index: number; id?: string; outcome: string; codes: readonly string[] }[];
  readonly counts?: Readonly<Record<string, number>>;
  readonly reasons?: Readonly<Record<string, number>>;
  readonly emails?: Readonly<Record<string, number>>;
  readonly notices?: readonly Pick<ReportFile['notices'][number], 'code' | 'places'>[];
  readonly error?: { readonly code: string; readonly message: readonly string[] };
}

type Flag = 'realm' | 'users' | 'passwords' | 'mfa';
export interface Case extends Expected, Partial<Readonly<Record<Flag, readonly string[]>>> {
  /** Files of the tables to join. */
  readonly table?: Readonly<Record<string, string>>;
}

/** `inputs` are the flags that name files of the fixture. */
export async function convertFixture(
  provider: string,
  inputs: readonly Flag[],
  { flags = [], table = {}, ...expected }: Case,
  folder: string,
) {
  const { cwd, run, json, read } = openFolder();
  const ran = await run([
    'migrate',
    provider,
    '--org=1',
    '--target-profile=all-verifiers',
    '--output=body.json',
    '--report=report.json',
    '--rejects=rejects.ndjson',
    ...inputs.flatMap((flag) => (expected[flag] ?? []).map((path) => `--${flag}=${join(folder, path)}`)),
    ...Object.entries(table).map(([name, path]) => `--table=${name}=${join(folder, path)}`),
    ...flags,
  ]);
  const left = readdirSync(cwd);
  for (const name of left) expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600);
  const report: ReportFile | undefined = left.includes('report.json') ? json('report.json') : undefined;
  return {
    ...ran,
    left,
    stopped: stoppedReportFile.safeParse(report).data?.stopped,
    body: left.includes('body.json') ? json('body.json') : undefined,
    report,
    rejects: left.includes('rejects.ndjson') ? read('rejects.ndjson').split('\n').filter(Boolean) : [],
  };
}

/** `inputs` are the flags that name files of a fixture. */
export function proveFixtures(provider: string, inputs: readonly Flag[]) {
  const fixtures = fixture(`${provider}/`);
  const cases = (readdirSync(fixtures, { recursive: true }) as string[])
    .filter((path) => /expected(-[a-z]+)?\.json$/.test(path))
    .toSorted()
    .map((path) => {
      const expected = JSON.parse(readFileSync(join(fixtures, path), 'utf8')) as Case;
      return { name: `${path}: ${expected.about}`, folder: join(fixtures, path, '..'), expected };
    });

  it.each(cases.filter(({ expected }) => expected.error === undefined))(
    '$name converts as expected',
    async ({ folder, expected }) => {
      const { exitCode, problem, body, report, rejects, events } = await convertFixture(
        provider,
        inputs,
        expected,
        folder,
      );
      expect(problem).toBeUndefined();
      expect(body).toEqual(await withMarks(expected.body, body));
      expect(exitCode).toBe(expected.exit);

      const end = events.findLast((event) => event.type === 'run:end');
      expect(end?.tally.read).toBe(sum(report?.summary));
      const { records, counts, reasons, emails, notices } = expected;
      const found = {
        records: records && notable(report),
        counts: counts && pick(report?.summary, Object.keys(counts)),
        reasons: reasons && Object.fromEntries(end?.tally.reasons ?? []),
        emails: emails && Object.fromEntries(end?.tally.emails ?? []),
        notices: notices && told(report, folder),
      };
      expect(found).toEqual({ records: records?.map(sortCodes), counts, reasons, emails, notices });
      expect(rejects).toHaveLength(report?.summary.rejected ?? -1);
    },
  );

  it.each(cases.filter(({ expected }) => expected.error !== undefined))(
    '$name stops the run, says why, and leaves no file but its report',
    async ({ folder, expected }) => {
      const { exitCode, problem, left, stopped } = await convertFixture(provider, inputs, expected, folder);
      expect(problem?.code).toContain(expected.error?.code);
      for (const words of expected.error?.message ?? []) expect(problem?.message).toContain(words);
      expect(problem?.code).not.toBe('unexpected');
      expect([1, 2]).toContain(exitCode);
      expect(left).toEqual(stopped === undefined ? [] : ['report.json']);
      expect(stopped ?? problem?.message).toBe(problem?.message);
      // A flag that is refused before anything is read writes no report.
      expect([exitCode, stopped]).not.toEqual([1, undefined]);
    },
  );
}

/** The notices of the report, without their texts; inputs by their names in the fixture. */
function told(report: ReportFile | undefined, folder: string): unknown[] {
  return (report?.notices ?? []).map(({ code, places }) =>
    places === undefined
      ? { code }
      : { code, places: places.map(({ input, ranges }) => ({ input: relative(folder, input), ranges })) },
  );
}

function sum(summary: ReportFile['summary'] | undefined) {
  if (!summary) return -1;
  return summary.written + summary.withNotes + summary.rejected + summary.skipped;
}

function pick(values: object | undefined, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => keys.includes(key)));
}

/** What the report says of each record, without the texts. */
function notable(report: ReportFile | undefined): unknown[] {
  return (report?.users ?? [])
    .filter(({ outcome }) => outcome !== 'written')
    .map(({ index, outcome, reasons }) =>
      sortCodes({ index, outcome, codes: reasons.map(({ code }) => code) }),
    );
}

function sortCodes(record: { index: number; outcome: string; codes: readonly string[] }): unknown {
  const { index, outcome, codes } = record;
  return { index, outcome, codes: codes.toSorted() };
}

/** The expected value, with each mark that the found value satisfies replaced by that value. */
async function withMarks(expected: unknown, found: unknown): Promise<unknown> {
  if (Array.isArray(expected)) {
    const list = Array.isArray(found) ? (found as unknown[]) : [];
    return Promise.all(expected.map((item, i) => withMarks(item, list[i])));
  }
  if (typeof expected !== 'object' || expected === null) return expected;
  if (await satisfies(expected, found)) return found;
  const values = (found ?? {}) as Record<string, unknown>;
  const entries = Object.entries(expected).map(async ([key, value]) => [
    key,
    await withMarks(value, values[key]),
  ]);
  return Object.fromEntries(await Promise.all(entries)) as unknown;
}

interface Mark {
  readonly uuid?: boolean;
  readonly bcryptOf?: string;
  readonly startsWith?: string;
}

async function satisfies({ uuid, bcryptOf, startsWith }: Mark, found: unknown) {
  if (typeof found !== 'string') return false;
  if (uuid) return /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(found);
  if (bcryptOf !== undefined) return bcryptVerify({ password: bcryptOf, hash: found });
  return startsWith !== undefined && found.startsWith(startsWith);
}
