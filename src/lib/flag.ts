/**
 * What a flag is. Each flag is declared once, as a row of a table. Its options, help, completion, configuration and types are
 * derived from there. Tables are plain data, because every start loads them.
 */
import { UsageError } from '../errors.ts';
import { formatDuration, parseDuration } from './go-duration.ts';

/** Section of the help that has the flag. */
export type Group = 'Input' | 'Rules' | 'Target' | 'Run' | 'Report' | 'Output' | 'Options';

export interface Flag<Value = unknown> {
  /** Value as the help shows it: `<file>`. Absent for a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly preset?: string | undefined;
  /** May be given several times: one value each, or several values with commas between them. */
  readonly list?: 'each' | 'commas';
  readonly required?: true;
  /** On by default, and typed as `--no-name`. */
  readonly negated?: true;
  /** The verb writes the file that the flag names. */
  readonly output?: true;
  readonly group?: Group;
  /** A configuration file may set the flag for all verbs that have it. */
  readonly shared?: true;
  /** Other flags that a configuration file cannot set if this one is given. */
  readonly rivals?: readonly string[];
  /** Name of the flag without which this one would be ignored. */
  readonly belongsTo?: string;
  /** Decides about one run, so that no configuration file has it. */
  readonly once?: true;
  /** Belongs to the conversion of an export, so that a body takes none of these flags. */
  readonly converts?: true;
  /** Required flags may be left out if this one is given. */
  readonly alone?: true;
  /** Reads the value. `flag` is the name as it is typed. Throws `UsageError`. */
  readonly read?: (flag: string, text: string) => Value;
  /** Never set; it carries the type. */
  readonly type?: Value;
}

/** Flags by name in camelCase: `tokenFile` is `--token-file`. */
export type Table = Readonly<Record<string, Flag>>;

type ValueOf<Row> = Row extends { readonly type?: infer Value } ? Value : never;
type Present<Rows> = {
  [Name in keyof Rows]: undefined extends ValueOf<Rows[Name]> ? never : Name;
}[keyof Rows];

/**
 * Values that a command gets from a table. A flag that is neither given nor has a default is false if it is a switch; otherwise
 * it has no property.
 */
export type Values<Rows> = { readonly [Name in Present<Rows>]: ValueOf<Rows[Name]> } & {
  readonly [Name in Exclude<keyof Rows, Present<Rows>>]?: ValueOf<Rows[Name]>;
};

/** Values that a program may give instead of typing them. Numbers may be numbers. */
export type Given<Rows> = {
  readonly [Name in keyof Rows]?: GivenAs<Exclude<ValueOf<Rows[Name]>, undefined>>;
};
type GivenAs<Value> = Value extends readonly string[]
  ? string | readonly string[]
  : Value extends number | object
    ? number | string
    : Value;

type Default<Preset, Value> = Preset extends string ? Value : Value | undefined;

export const on = (help: string): Flag<boolean> => ({ help });

/** `--no-name`: true unless given. */
export const off = (help: string): Flag<boolean> => ({ help, negated: true });

/** A switch that is typed as `--name` or `--name=false`. */
export const bool = (help: string): Flag<boolean | undefined> => ({ value: '[bool]', help, read: readBool });

export const text = <Preset extends string | undefined = undefined>(
  value: string,
  help: string,
  preset?: Preset,
): Flag<Default<Preset, string>> => ({ value, help, preset });

/** A flag with the name of a file that the verb writes. */
export const output = <Preset extends string | undefined = undefined>(
  help: string,
  preset?: Preset,
): Flag<Default<Preset, string>> => ({ ...text('<file>', help, preset), output: true });

/** The flag of a report of every `item`. */
export const reportOf = (item: string) => ({
  ...parsed('<file>', `write a report (.json, .md or .html) of every ${item}`, readReportPath),
  output: true as const,
});

export const choice = <const Choice extends string, Preset extends Choice | undefined = undefined>(
  value: string,
  help: string,
  choices: readonly Choice[],
  preset?: Preset,
): Flag<Default<Preset, Choice>> => ({ value, help, choices, preset });

/** A flag whose value is parsed before the command gets it. */
export const parsed = <Value, Preset extends string | undefined = undefined>(
  value: string,
  help: string,
  read: (flag: string, text: string) => Value,
  preset?: Preset,
): Flag<Default<Preset, Value>> => ({ value, help, read, preset });

const listed =
  (list: NonNullable<Flag['list']>) =>
  (value: string, help: string): Flag<readonly string[] | undefined> => ({ value, help, list });

/** A flag that may be given several times. If `value` ends in `...>`, several values may follow it. */
export const each = listed('each');
export const commas = listed('commas');

export const required = <Value>(flag: Flag<Value>) =>
  ({ ...flag, required: true }) as Flag<Exclude<Value, undefined>>;

/** Changes all rows of a table in the same way. */
function mark<Rows extends Table>(table: Rows, how: Partial<Flag>) {
  const rows: object = Object.fromEntries(
    Object.entries(table).map(([name, flag]) => [name, { ...flag, ...how }]),
  );
  return rows as Rows;
}

export const group = <Rows extends Table>(heading: Group, rows: Rows) => mark(rows, { group: heading });

/** A verb that also takes a body accepts these flags only with `--from`. */
export const converting = <Rows extends Table>(rows: Rows) => mark(rows, { converts: true });

/** If one of these flags is given, the others are not taken from a configuration file. */
export const oneOf = <Rows extends Table>(rows: Rows) =>
  mark(rows, { rivals: Object.keys(rows).map(settingName) });

/** Flags that would be ignored without the named one: they are refused if typed, and left out if a configuration file has them. */
export const partOf = <Rows extends Table>(belongsTo: string, rows: Rows) => mark(rows, { belongsTo });

/** If this flag is given, the named ones are not taken from a configuration file. */
export const replaces = <Value>(flag: Flag<Value>, ...rivals: readonly string[]): Flag<Value> => ({
  ...flag,
  rivals,
});

/** A configuration file may set these flags for all verbs at once. */
export const shared = <Rows extends Table>(rows: Rows) => mark(rows, { shared: true });

/** `tokenFile` becomes `token-file`. */
export const settingName = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the flag as it is typed. */
export const longName = (name: string, flag: Flag) => `--${flag.negated ? 'no-' : ''}${settingName(name)}`;

/** Reads values that were typed, or are in a file, as the command takes them. Throws `UsageError`. */
export function readFlags<Rows extends Table>(table: Rows, raw: Readonly<Record<string, unknown>>) {
  const values = Object.entries(table).flatMap(([name, flag]) => {
    const unset = flag.value === undefined ? flag.negated === true : undefined;
    const given = raw[name] ?? flag.preset ?? unset;
    if (given === undefined) return [];
    if (flag.list !== undefined) return [[name, [given].flat()]];
    if (flag.read === undefined || typeof given === 'boolean') return [[name, given]];
    return [[name, flag.read(longName(name, flag), `${given as string | number}`)]];
  });
  return Object.fromEntries(values) as Values<Rows>;
}

/** Reads an id. It may not be empty, because an unset variable of a script must not stand for some or all. */
export function readId(flag: string, text: string) {
  const id = text.trim();
  if (id !== '') return id;
  throw new UsageError(`${flag} is empty`, `Give an id, for example ${flag}=165617389845094785.`);
}

/** Returns `project:<id>` or `new:<name>` as it is. */
export function readProject(flag: string, text: string) {
  if (/^(?:project:\s*\S|new:\s*\S.{0,199}$)/s.test(text)) return text;
  throw new UsageError(
    `${flag} ${text} names no project`,
    'It takes project:<id> for a project that exists, or new:<name>.',
  );
}

/** Reads the two sides of `old=new`, neither of which may be empty. `hint` says what they are. */
export function readPair(flag: string, text: string, form: string, hint: string): readonly [string, string] {
  const [, before, after] = /^([^=]+)=(.*\S.*)$/s.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return [before, after];
  throw new UsageError(`${flag} ${text} is not of the form ${form}`, hint);
}

/** Returns the path of a report. Its ending chooses the form. */
export function readReportPath(flag: string, path: string) {
  if (/\.(?:json|md|html)$/i.test(path)) return path;
  throw new UsageError(
    `${flag} ${path}: the name must end in .json, .md or .html`,
    'The ending chooses the form: .json for programs, .md to read, .html for a page to look at.',
  );
}

/** Reads a Go duration (`10s`, `1m30s`) as milliseconds; never negative, and no longer than a timer can run. */
export function readDuration(flag: string, text: string) {
  const refuse = () => new UsageError(`${flag} ${text}: not a duration`, 'For example 10s, 1m30s or 500ms.');
  const ms = parseDuration(text, refuse);
  if (ms >= 2 ** 31) throw new UsageError(`${flag} ${text}: it can be 596h at most`);
  if (ms < 0) throw refuse();
  return ms;
}

/** Reads a whole number. `500_000` is 500,000. */
export const wholeNumber =
  (least = 0, most = Infinity, or = '') =>
  (flag: string, text: string) => {
    const digits = text.replaceAll('_', '');
    const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new UsageError(`${flag} ${text}: it must be a whole number ${range}${or}`);
  };

/** Reads a limit. `unlimited` is Infinity. */
export const readLimit = (flag: string, text: string) =>
  text === 'unlimited' ? Infinity : wholeNumber(0, Infinity, ', or unlimited')(flag, text);

/** Reads a number with a decimal point: an amount, seconds. */
export function readDecimal(flag: string, text: string) {
  if (/^\d{0,9}(?:\.\d{1,9})?$/.test(text) && text !== '') return Number(text);
  throw new UsageError(`${flag} ${text}: not a number`, 'For example 0.06.');
}

/**
 * Returns the normal form of a Go duration, as the service reads it. Throws for zero and less, which would end every import at
 * once.
 */
export function readTimeout(flag: string, text: string) {
  const hint = 'Write it as the service does: 30m, 1h30m, 90s, 1.5h.';
  const refuse = (problem: string) => new UsageError(`${flag}: ${problem.replace(/^time: /, '')}`, hint);
  const timeout = parseDuration(text, refuse);
  if (timeout > 0) return formatDuration(timeout);
  throw new UsageError(`${flag} ${text} is not longer than zero`, hint);
}

/** Reads `true` or `false`. A flag without a value is true before it is read. */
export function readBool(flag: string, text: string) {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`${flag}=${text} is neither true nor false`, 'Leave the flag out for the default.');
}

/** Reads `45`, `45/s` or `600/m` as requests per second. `unlimited` and `none` are Infinity. */
export function readRate(flag: string, text: string) {
  if (text === 'unlimited' || text === 'none') return Infinity;
  const [, number = '', unit] = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(s|m))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (unit === 'm' ? 60 : 1);
  if (rate > 0) return rate;
  throw new UsageError(
    `${flag} ${text}: not a rate`,
    'Write it like 45/s or 600/m, or unlimited for no limit.',
  );
}

export function readUrl(flag: string, text: string) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`${flag} ${text}: not an http:// or https:// address`);
}

/** Like `readUrl`, but returns the address as it was written. */
export const readAddress = (flag: string, text: string) => (readUrl(flag, text), text);

/** Reads a number of users (`20`), or a share of them (`5%`). */
export function readMost(flag: string, text: string) {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null && Number(percent[1]) <= 100) return { share: Number(percent[1]) / 100 };
  return { most: wholeNumber(0, Infinity, ', or a share such as 5%')(flag, text) };
}
