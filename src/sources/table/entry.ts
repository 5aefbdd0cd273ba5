/** Sources that a mapping describes, on the command line and in the library. */
import { type Given, on, text } from '../../lib/flag.ts';
import type { Live, Mark, Paths, ProviderEntry } from '../entry.ts';

const tableFlags = {
  map: text('<file>', 'mapping of columns to fields (YAML or JSON)'),
  printMap: { ...on('print the built-in mapping, as a starting point'), alone: true as const },
};

export interface TableFlags extends Given<typeof tableFlags> {
  readonly users: Paths;
  /** Files of joined tables, as `name=path`. */
  readonly table?: Paths;
}

/** What a source says about itself in the help, and how its exports are recognised. `built-in.json` has one for each mapping. */
export interface TableSource extends Partial<Pick<ProviderEntry, 'description' | 'examples'>> {
  readonly title: string;
  /** Each of these marks is enough to recognise an export. */
  readonly marks?: WrittenMarks;
  /** Marks of joined tables. */
  readonly tables?: Readonly<Record<string, WrittenMarks>>;
  /** Verifier of idport jit that can ask the source, if no password hash can move. */
  readonly jit?: string;
  readonly live?: Live;
}

/** Each mark is a list of keys, or a text that is a regular expression. */
type WrittenMarks = readonly (readonly string[] | string)[];

const readMarks = (marks: WrittenMarks): readonly Mark[] =>
  marks.map((mark) => (typeof mark === 'string' ? new RegExp(mark, 'm') : mark));

const addresses: Readonly<Record<Live, string>> = {
  database: 'postgres://readonly@db.example.com/app',
  directory: 'ldaps://ldap.example.com/dc=example,dc=com',
};

export function tableEntry(
  name: string,
  { title, description = `users of ${title}`, examples, marks = [], tables = {}, jit, live }: TableSource,
): ProviderEntry {
  const command = `idport migrate ${name} --org=165617389845094785`;
  return {
    title,
    description,
    examples: examples ?? [
      `${command} --users=users.export`,
      `${command} --users=users.export --report=report.json --output=body.json`,
      ...(live === undefined ? [] : [`${command} --${live}=${addresses[live]}`]),
    ],
    input: { name: 'users', description: 'users: CSV, JSON, JSON lines, SQL dump, LDIF, or -' },
    companions: [],
    tables: Object.fromEntries(Object.entries(tables).map(([table, own]) => [table, readMarks(own)])),
    live,
    flags: tableFlags,
    marks: readMarks(marks),
    jit,
    nameFallback: 'username',
    load: async () => (await import('./provider.ts')).tableProvider(name),
  };
}

/** Sources for tables of the user's own, which a mapping describes. */
export const generic = {
  csv: {
    title: 'CSV',
    description: 'users of any table as CSV or TSV, with a mapping',
    examples: [
      'idport migrate csv --org=165617389845094785 --users=users.csv --map=mapping.yaml',
      'idport migrate csv --org=1 --users=users.csv.gz --map=mapping.yaml --report=report.json',
    ],
  },
  json: {
    title: 'JSON',
    description: 'users of any system as JSON or JSON lines, with a mapping',
    examples: [
      'idport migrate json --org=165617389845094785 --users=users.jsonl --map=mapping.yaml',
      'idport migrate json --org=1 --users=- --map=mapping.yaml --output=body.json',
    ],
  },
  sql: {
    title: 'SQL',
    description:
      'users of a table in an SQL dump (pg_dump, mysqldump, sqlite3) or a database, with a mapping',
    live: 'database',
    examples: [
      'idport migrate sql --org=165617389845094785 --users=dump.sql --map=mapping.yaml',
      'idport migrate sql --org=1 --users=dump.sql.gz --map=mapping.yaml --report=report.json',
    ],
  },
  ldif: {
    title: 'LDIF',
    live: 'directory',
    description: 'users of a directory as LDIF; without --map, read like idport migrate ldap',
    marks: [['dn']],
    examples: [
      'idport migrate ldif --org=165617389845094785 --users=users.ldif',
      'idport migrate ldif --org=1 --users=users.ldif --map=mapping.yaml',
    ],
  },
} as const satisfies Record<string, TableSource>;
