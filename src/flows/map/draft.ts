/** Drafts a mapping from what the columns of a table look like. Every guess is marked as one. */
import { isObject } from '../../lib/json-value.ts';
import { printable } from '../../lib/printable.ts';
import { defaultMapping } from '../../sources/table/default-mapping.ts';
import { schemaComment } from '../../sources/table/print.ts';
import { unusedColumns } from '../../sources/table/mapping/columns.ts';
import type { Condition, Mapping, Value } from '../../sources/table/mapping/schema.ts';
import type { Column, Columns } from './columns.ts';

/** A built-in mapping that fits. */
export interface KnownMapping {
  readonly name: string;
  readonly text: string;
  readonly mapping: Mapping;
}

/** The built-in mapping, and what it leaves behind. */
export function describeKnown(file: string, found: Columns, { name, text, mapping }: KnownMapping): string {
  const rest = unusedColumns(
    mapping,
    found.columns.map((column) => column.name),
  );
  return [
    text.trimEnd(),
    `# It looks like an export that idport migrate ${name} reads: without --map, this mapping is used.`,
    ...columnLines(file, found),
    ...(rest.length === 0 ? [] : [`# Columns that no line names: ${rest.map(oneLine).join(', ')}`]),
    '',
  ].join('\n');
}

/** `table` is where in a dump the users are. */
export function draftMapping(file: string, found: Columns, table?: string): string {
  const { columns } = found;
  const taken = new Set<string>();
  const user = userLines(columns, taken);
  const password = passwordLines(columns, taken);
  const rest = columns.filter(({ name }) => !taken.has(name)).map(({ name }) => scalar(name));
  return [
    schemaComment.trimEnd(),
    '# A draft. Lines with "guess" were guessed: check each.',
    ...columnLines(file, found),
    'idport: 1',
    ...(table === undefined ? [] : [`source: { table: ${scalar(table)} }`]),
    'user:',
    ...(user.length === 0 ? ['  {} # no column has a name that is known'] : user),
    ...password,
    ...(rest.length === 0
      ? []
      : [
          '# Columns that no line names: carry them under user.metadata, or leave them here.',
          'unused:',
          ...rest.map((name) => `  - ${name}`),
        ]),
    '',
  ].join('\n');
}

function columnLines(file: string, { rows, columns }: Columns): readonly string[] {
  return [
    `# The columns of the first ${rows} rows of ${oneLine(file)}: how many have something in them, and what it looks like:`,
    ...columns.map((column) => `#   ${describe(column, rows)}`),
  ];
}

function describe({ name, filled, looks }: Column, rows: number): string {
  const most = [...looks].sort(([, one], [, other]) => other - one).slice(0, 3);
  const kinds = most.map(([kind, count]) => (most.length === 1 ? kind : `${kind} (${count})`));
  return `${oneLine(name)}: ${filled} of ${rows}${kinds.length === 0 ? '' : `, ${kinds.join(', ')}`}`;
}

/** Names that need a mapping, because they may mean something else. */
const furtherNames: Readonly<Record<string, readonly string[]>> = {
  id: ['uid', 'guid'],
  email: ['user_email', 'primary_email'],
  emailVerified: [
    'email_confirmed',
    'email_confirmed_at',
    'is_email_verified',
    'verified',
    'is_verified',
    'confirmed',
  ],
  givenName: ['first', 'fname', 'forename'],
  familyName: ['last', 'lname', 'surname', 'sn'],
  language: ['lang'],
  phone: ['mobile', 'mobile_phone', 'tel', 'telephone', 'telephone_number'],
  state: ['is_active', 'enabled', 'is_enabled', 'is_disabled', 'is_blocked', 'banned', 'suspended'],
};

/** The names under which the fields usually stand: first those that need no mapping. */
function userLines(columns: readonly Column[], taken: Set<string>): string[] {
  const lines: string[] = [];
  for (const [field, value] of Object.entries(defaultMapping.user)) {
    const names = [...namesIn(value as Value), ...(furtherNames[field] ?? [])];
    const column = find(columns, names, taken);
    if (column === undefined) continue;
    taken.add(column.name);
    lines.push(`  ${field}: ${written(field, column)} # guess`);
  }
  return lines;
}

/** All columns that a value or a condition names. */
function namesIn(value: Value | Condition): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const { from, column, present, any, inactive } = value as Readonly<Record<string, Value | Condition>>;
  return [from, column, present, any, inactive].flatMap((inner) =>
    inner === undefined ? [] : namesIn(inner),
  );
}

function find(
  columns: readonly Column[],
  names: readonly string[],
  taken: ReadonlySet<string>,
): Column | undefined {
  const requested = names.map(plain);
  const found = columns.filter(({ name }) => !taken.has(name) && requested.includes(plain(name)));
  return found.sort(
    (one, other) => requested.indexOf(plain(one.name)) - requested.indexOf(plain(other.name)),
  )[0];
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, '');

function written(field: string, { name, looks }: Column): string {
  const path = scalar(pathOf(name));
  const isTime = looks.has('times');
  if (field === 'emailVerified' || field === 'phoneVerified') {
    return isTime ? `{ present: ${path} }` : `{ column: ${path} }`;
  }
  if (field === 'state') {
    const isActive = /(?<!in)active|enabled/.test(plain(name));
    return isActive ? `{ active: { column: ${path} } }` : `{ inactive: { column: ${path} } }`;
  }
  return field === 'otp' ? `{ from: ${path}, encoding: base32 }` : path;
}

function passwordLines(columns: readonly Column[], taken: Set<string>): string[] {
  const hashed = [...columns].sort((one, other) => other.hashes - one.hashes)[0];
  const digests = columns.find(({ name, digests }) => digests > 0 && /pass|hash|digest/i.test(name));
  const column = hashed !== undefined && hashed.hashes > 0 ? hashed : digests;
  if (column === undefined) {
    return ['# No column looks like password hashes: users are imported without a password.'];
  }
  taken.add(column.name);
  const kinds = [...column.looks.keys()].slice(0, 3).map(oneLine).join('; ');
  return [
    'password:',
    `  from: ${scalar(pathOf(column.name))} # guess: ${kinds}`,
    ...(column.hashes > 0
      ? ['  format: auto # the forms that say themselves what they are; docs/passwords.md lists the others']
      : ['  format: auto # such digits do not say what they are: name the form, or declare md5: {...}']),
    '  # The text of a hash does not show whether the application altered passwords before it hashed them. Look into its',
    '  # settings for a pepper and into the code that sets passwords for a digest, and say none; --prove checks one login.',
    '  pepper: unknown',
    '  prehash: unknown',
  ];
}

/** A column whose name is no plain word stands in brackets. */
function pathOf(name: string): string {
  return /^[\w$-]+$/.test(name) ? name : `["${name}"]`;
}

/** As YAML; names come from files of others. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function oneLine(text: string): string {
  return printable(text.slice(0, 100));
}
