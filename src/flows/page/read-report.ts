/** Reads a report file: its contents without users, and its users in batches. */
import { pathText } from '../../lib/json-value.ts';
import type { z } from 'zod';
import { InputError } from '../../errors.ts';
import { scanJson } from '../../json/scan.ts';
import type { Input } from '../../lib/input.ts';
import { reportFormats } from '../../wire/reports.ts';

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
  if (format === undefined || !Object.hasOwn(reportFormats, String(found['format'])))
    throw notRead(
      input,
      'it is not a report of idport',
      'A report is what a verb writes with --report=<file>.json, or beside a page with --report=<file>.html.',
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
