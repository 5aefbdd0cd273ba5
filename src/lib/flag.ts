/**
 * What a flag is. Each is declared once, as a row of a table: its options, help, completion, configuration and types are
 * derived from there. Plain data, because every start loads it.
 */
import { readBool } from './flag-values.ts';

/** Where a flag is in the help. */
export type Group = 'Input' | 'Rules' | 'Target' | 'Run' | 'Report' | 'Output' | 'Options';

export interface Flag<Value = unknown> {
  /** What the help shows after it: `<file>`; absent where it is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly preset?: string | undefined;
  /** Given several times: one value each, or several with commas between them. */
  readonly list?: 'each' | 'commas';
  readonly required?: true;
  /** On, and typed as `--no-name`. */
  readonly negated?: true;
  /** The verb writes the file that it names. */
  readonly output?: true;
  readonly group?: Group;
  /** The setting of a configuration file that holds for all verbs which have this flag. */
  readonly shared?: string;
  /** Flags that lose where this one is given, itself among them. */
  readonly rivals?: readonly string[];
  /** Decides about one run: no configuration file has it. */
  readonly once?: true;
  /** Of the conversion of an export: a body takes none of them. */
  readonly converts?: true;
  /** Nothing else has to be given with it. */
  readonly alone?: true;
  /** Throws `UsageError`. `flag` is its name as it is typed. */
  readonly read?: (flag: string, text: string) => Value;
  /** Never there: it carries the type. */
  readonly type?: Value;
}

/** By the name in camel case: `tokenFile` is `--token-file`. */
export type Table = Readonly<Record<string, Flag>>;

type ValueOf<Row> = Row extends Flag<infer Value> ? Value : never;
type Present<Rows> = {
  [Name in keyof Rows]: undefined extends ValueOf<Rows[Name]> ? never : Name;
}[keyof Rows];

/** What a command gets of a table: no property where a flag is neither given nor has a default. */
export type Values<Rows> = { readonly [Name in Present<Rows>]: ValueOf<Rows[Name]> } & {
  readonly [Name in Exclude<keyof Rows, Present<Rows>>]?: Exclude<ValueOf<Rows[Name]>, undefined>;
};

/** What a program may give in its place: nothing has to be typed, so numbers may be numbers. */
export type Given<Rows> = {
  readonly [Name in keyof Rows]?: GivenAs<Exclude<ValueOf<Rows[Name]>, undefined>>;
};
type GivenAs<Value> = Value extends number
  ? number | string
  : Value extends readonly string[]
    ? string | readonly string[]
    : Value;

type Default<Preset, Value> = Preset extends string ? Value : Value | undefined;

export const on = (help: string): Flag<boolean | undefined> => ({ help });

/** `--no-name`: true without it. */
export const off = (help: string): Flag<boolean> => ({ help, negated: true });

/** `--name`, or `--name=false`. */
export const bool = (help: string): Flag<boolean | undefined> => ({ value: '[bool]', help, read: readBool });

export const text = <Preset extends string | undefined = undefined>(
  value: string,
  help: string,
  preset?: Preset,
): Flag<Default<Preset, string>> => ({ value, help, preset });

/** A file that the verb writes. */
export const output = <Preset extends string | undefined = undefined>(
  help: string,
  preset?: Preset,
): Flag<Default<Preset, string>> => ({ ...text('<file>', help, preset), output: true });

export const choice = <const Choice extends string, Preset extends Choice | undefined = undefined>(
  value: string,
  help: string,
  choices: readonly Choice[],
  preset?: Preset,
): Flag<Default<Preset, Choice>> => ({ value, help, choices, preset });

/** A value that is not a text for the command. */
export const parsed = <Value, Preset extends string | undefined = undefined>(
  value: string,
  help: string,
  read: (flag: string, text: string) => Value,
  preset?: Preset,
): Flag<Default<Preset, Value>> => ({ value, help, read, preset });

/** Given several times; with `...>` several may follow it. */
export const each = (value: string, help: string): Flag<readonly string[] | undefined> => ({
  value,
  help,
  list: 'each',
});

export const commas = (value: string, help: string): Flag<readonly string[] | undefined> => ({
  value,
  help,
  list: 'commas',
});

export const required = <Value>(flag: Flag<Value>): Flag<Exclude<Value, undefined>> =>
  ({ ...flag, required: true }) as Flag<Exclude<Value, undefined>>;

/** All rows of a table, changed in one way. */
const mark = <Rows extends Table>(table: Rows, how: Partial<Flag>): Rows => eachRow(table, () => how);

export const group = <Rows extends Table>(heading: Group, rows: Rows): Rows => mark(rows, { group: heading });

/** A verb that takes a body as well has them for `--from` alone. */
export const converting = <Rows extends Table>(rows: Rows): Rows => mark(rows, { converts: true });

/** Where one is given, the others are not taken from a configuration file. */
export const oneOf = <Rows extends Table>(rows: Rows): Rows =>
  mark(rows, { rivals: Object.keys(rows).map(settingName) });

/** A configuration file may set them for all verbs at once. */
export function shared<Rows extends Table>(table: Rows): Rows {
  return eachRow(table, (name) => ({ shared: settingName(name) }));
}

function eachRow<Rows extends Table>(table: Rows, how: (name: string) => Partial<Flag>): Rows {
  const rows: object = Object.fromEntries(
    Object.entries(table).map(([name, flag]) => [name, { ...flag, ...how(name) }]),
  );
  return rows as Rows;
}

/** `tokenFile` is `token-file`. */
export const settingName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** As it is typed. */
export const longName = (name: string, flag: Flag): string =>
  `--${flag.negated === true ? 'no-' : ''}${settingName(name)}`;

/** What was typed, or is in a file, as the command takes it. Throws `UsageError`. */
export function readFlags<Rows extends Table>(
  table: Rows,
  raw: Readonly<Record<string, unknown>>,
): Values<Rows> {
  const values = Object.entries(table).flatMap(([name, flag]) => {
    const given = raw[name] ?? flag.preset ?? flag.negated;
    if (given === undefined) return [];
    if (flag.list !== undefined) return [[name, [given].flat()]];
    if (flag.read === undefined || typeof given === 'boolean') return [[name, given]];
    return [[name, flag.read(longName(name, flag), `${given as string | number}`)]];
  });
  return Object.fromEntries(values) as Values<Rows>;
}
