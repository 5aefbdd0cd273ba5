/** Converts the reports of a cutover's steps, whatever verb wrote them, to one shape. */
import { isObject, pathText } from '../../lib/json-value.ts';
import type { Tally } from '../../records/tally.ts';
import type { z } from 'zod';
import { InputError } from '../../errors.ts';
import { scanJson } from '../../json/scan.ts';
import type { Input } from '../../lib/input.ts';
import { reportFormats } from '../../wire/reports.ts';

/** Steps in the order of a cutover. */
export const steps = ['migrate', 'check', 'import', 'verify', 'undo'] as const;
export type Step = (typeof steps)[number];

/** `read = written + rejected + skipped`, of users and service accounts. */
type Sum = Readonly<Pick<Tally, 'read' | 'written' | 'withNotes' | 'rejected' | 'skipped'>>;

export interface Part {
  /** Name of the report file. */
  readonly file: string;
  readonly step: Step;
  /** Verb as typed: `migrate keycloak`. */
  readonly verb: string;
  readonly report: Report;
  readonly startedAt: number;
  readonly sum: Sum | undefined;
  /** Why the run stopped before its end. */
  readonly stopped: string | undefined;
  /** Whether the run changed nothing. */
  readonly isIdle: boolean;
}

export function toPart(file: string, report: Report): Part {
  // The run of a stopped report ended before it had counts. Mostly it was refused.
  const isRefused = report.format === 'idport-stopped-report';
  const verb = 'verb' in report ? report.verb : verbs[report.format];
  return {
    file,
    report,
    verb,
    startedAt: Date.parse(report.startedAt),
    step: stepOf(verb),
    sum: report.format === 'idport-report' ? sumOf(report.summary) : undefined,
    stopped: 'stopped' in report ? report.stopped : undefined,
    isIdle: isRefused || ('dryRun' in report && report.dryRun),
  };
}

const verbs = { 'idport-verify-report': 'verify', 'idport-undo-report': 'undo' } as const;

const sumOf = ({ read, written, withNotes, rejected, skipped }: Sum): Sum => ({
  read,
  written: written + withNotes,
  withNotes,
  rejected,
  skipped,
});

function stepOf(verb: string): Step {
  const [word = ''] = verb.split(' ');
  return steps.find((step) => step === word) ?? (imports.has(word) ? 'import' : 'migrate');
}

const imports = new Set(['import-users', 'copy']);

/**
 * Adds two parts. Only counts and lists of the result are meaningful. `isAgain`: the second part read the records that the first
 * rejected.
 */
export function addPart(first: Part, second: Part, isAgain: boolean): Part {
  const sum = addUp(first.sum, second.sum);
  const again = isAgain ? Math.min(second.sum?.read ?? 0, first.sum?.rejected ?? 0) : 0;
  return {
    ...first,
    report: { ...addUp(first.report, second.report), version: first.report.version },
    sum: sum && { ...sum, read: sum.read - again, rejected: sum.rejected - again },
    stopped: first.stopped ?? second.stopped,
  };
}

/** Adds numbers. Booleans stay true if they are true in all. Entries of lists are joined if they differ only in their numbers. */
export function addUp<Value>(one: Value, other: Value): Value;
export function addUp(one: unknown, other: unknown): unknown {
  if (other === undefined) return one;
  if (one === undefined) return other;
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (typeof one === 'boolean' && typeof other === 'boolean') return one && other;
  if (Array.isArray(one) && Array.isArray(other)) return addRows([...one, ...other]);
  if (!isObject(one) || !isObject(other)) return one;
  const names = Object.keys({ ...one, ...other });
  return Object.fromEntries(names.map((name) => [name, addUp(one[name], other[name])]));
}

function addRows(rows: readonly unknown[]) {
  const byText = new Map<string, unknown>();
  for (const row of rows) {
    const text = JSON.stringify(row, (_, value: unknown) => (typeof value === 'number' ? 0 : value));
    byText.set(text, addUp(byText.get(text), row));
  }
  return [...byText.values()];
}

export function addsUp({ read, written, rejected, skipped }: Sum) {
  return read === written + rejected + skipped;
}

type Format = keyof typeof reportFormats;

/** A report without its users. */
export type Report = { [F in Format]: z.infer<(typeof reportFormats)[F]['file']> }[Format];
export type ReportItem<F extends Format = Format> = z.infer<(typeof reportFormats)[F]['item']>;

const schemas = Object.values(reportFormats).map(({ file }) => file);
const keys = [...new Set(schemas.flatMap(({ shape }) => Object.keys(shape)))].filter(
  (key) => key !== 'users',
);

/** Throws `InputError` for a file that is not a report of idport. */
export async function readReport(input: Input): Promise<Report> {
  const found: Record<string, unknown> = { users: [] };
  const options = { arrays: [], values: keys.map((key) => [key]) };
  for await (const item of scanJson(input.name, input.blocks(), options)) {
    if (item.kind !== 'value') continue;
    found[item.path[0] ?? ''] = parse(input, Buffer.from(item.bytes).toString('utf8'));
  }
  const format = reportFormats[found['format'] as Format];
  if (!Object.hasOwn(reportFormats, String(found['format'])))
    throw notRead(
      input,
      'it is not a report of idport',
      'Give the .json files that runs wrote: `idport check importBody.json --report=check.json` writes one.',
    );
  if (Number(found['version']) > 1)
    throw notRead(
      input,
      'it is a report of a newer version of idport',
      'Make the page with the version that wrote the report, or with a newer one.',
    );
  const parsed = format.file.safeParse(found);
  if (parsed.success) return parsed.data;
  throw odd(input, parsed.error);
}

/** Yields the users of a report, in the order of the file. */
export async function* readItems(input: Input, { format }: Report): AsyncGenerator<readonly ReportItem[]> {
  const items = reportFormats[format].item.array();
  for await (const item of scanJson(input.name, input.blocks(), { arrays: [['users']] })) {
    if (item.kind !== 'batch') continue;
    const parsed = items.safeParse(parse(input, `[${Buffer.from(item.bytes).toString('utf8')}]`));
    if (!parsed.success) throw odd(input, parsed.error);
    yield parsed.data;
  }
}

function parse(input: Input, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError('input:syntax', input.name, 'it is not valid JSON', undefined, error);
  }
}

const notRead = ({ name }: Input, problem: string, hint: string) =>
  new InputError('input:not-a-report', name, problem, hint);

function odd(input: Input, { issues: [issue] }: z.ZodError) {
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${pathText(issue.path)}`;
  return notRead(
    input,
    `it does not have the shape of a report${place}`,
    'Do not edit reports; schema/idport.report.schema.json defines their shape.',
  );
}
