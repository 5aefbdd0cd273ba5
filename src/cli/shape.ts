/**
 * Describes the tree of verbs for completion, the configuration file and hints, and says which flags a file may set. Rebuilds the line
 * that was typed, for messages that say how to continue.
 */
import { longName, settingName, type Table } from '../lib/flag.ts';
import type { Verb } from './verb.ts';
import type { ProcessContext } from '../commands/context.ts';
import { providers } from '../sources/providers.ts';
import type { Command } from 'commander';
import { mask, redact } from '../lib/redact.ts';
import { shellWord } from '../lib/format.ts';

export type FlagShape = ReturnType<typeof describeFlags>[number];

/** Kinds of paths. A `name or file` is a path only if it looks like one: `my-target.json`. */
type Place = 'file' | 'folder' | 'name or file';

export interface VerbShape {
  /** The row of the tree. */
  readonly row: Verb;
  /** For example `migrate keycloak`. Empty for the program itself. */
  readonly name: string;
  readonly flags: readonly FlagShape[];
  readonly arguments: readonly FlagShape[];
  readonly verbs: readonly VerbShape[];
  /** Describes only the verb of this name. */
  readonly below: (word?: string) => VerbShape | undefined;
}

/** Returns a verb and all verbs below it, parents before their children. */
export function eachVerb(verb: VerbShape): VerbShape[] {
  return [verb, ...verb.verbs.flatMap(eachVerb)];
}

export function describeVerb(row: Verb, name = ''): VerbShape {
  const below = row.verbs ?? {};
  const words = Object.keys(below);
  const describe = (word: string) => describeVerb(below[word]!(), `${name} ${word}`.trim());
  let verbs: VerbShape[] | undefined;
  return {
    row,
    name,
    flags: describeFlags(row.flags),
    arguments: describeFlags(row.args ?? {}),
    // Made only when asked for, because all verbs take longer than most runs.
    get verbs() {
      return (verbs ??= words.map(describe));
    },
    below: (word = '') => (words.includes(word) ? describe(word) : undefined),
  };
}

/** Returns the full name of a verb: `idport migrate keycloak`. */
export const fullName = ({ name }: VerbShape) => `idport ${name}`.trimEnd();

/** Returns the name of a verb below the one before it: `keycloak`. */
export const lastWord = ({ name }: VerbShape) => name.replace(/^.* /, '');

/** Kinds of paths, by the placeholder of a flag or an argument. */
const places: Readonly<Record<string, Place>> = {
  file: 'file',
  files: 'file',
  path: 'file',
  report: 'file',
  body: 'file',
  recordings: 'file',
  journal: 'file',
  folder: 'folder',
  'name|file': 'name or file',
  profile: 'name or file',
};

const counts = /^(?:n|n\|%|number|port|seconds|amount|code)$/;

function describeFlags(table: Table) {
  return Object.entries(table).map(([attribute, flag]) => {
    const { value = '' } = flag;
    const placeholder = value.replaceAll(/[<>[\]]|\.\.\./g, '');
    return {
      ...flag,
      /** The flag as typed: `--realm`, `--no-color`. */
      long: longName(attribute, flag),
      /** Name in a configuration file, without dashes and `no-`: `realm`, `color`. */
      name: settingName(attribute),
      /** Name in the options of the command: `tokenFile`. */
      attribute,
      takes: takenBy(value),
      /** Whether several values may follow the flag: `--realm a b`. */
      variadic: value.endsWith('...>'),
      /** Whether the value is a number. Ids are not, because they are too long for a JSON number. */
      numeric: counts.test(placeholder),
      place: places[placeholder],
      /** Environment variable that sets the flag. */
      variable: /\((IDPORT_\w+)\)/.exec(flag.help)?.[1],
    };
  });
}

function takenBy(value: string) {
  if (value === '') return 'none';
  return value.startsWith('[') ? 'optional' : 'needed';
}

/** Returns where the path begins in a value of `<path>`, `<name=path>` or `<kind:file>`. */
export function pathStart({ value = '' }: FlagShape, text: string) {
  const [, separator] = /^<\w+([=:])(?:file|path)/.exec(value) ?? [];
  return separator === undefined ? 0 : text.indexOf(separator) + 1;
}

/** An empty variable counts as unset. */
export function isSet({ variable }: FlagShape, env: ProcessContext['env']) {
  return variable !== undefined && (env[variable] ?? '') !== '';
}

/** Flags of sources, which a typed body replaces. */
export const sourceFlags = new Set([
  'from',
  ...Object.values(providers).flatMap(({ input, companions }) =>
    [input, ...companions].map(({ name }) => name),
  ),
]);

/** Returns the settings under `shared` in their order, each with a flag that has it. */
export function sharedFlags(program: VerbShape): ReadonlyMap<string, FlagShape> {
  const found = new Map<string, FlagShape>();
  for (const flag of [...verbsWithSettings(program), program].flatMap(({ flags }) => flags)) {
    const before = found.get(flag.name);
    if (flag.shared && (before === undefined || before.list !== undefined)) found.set(flag.name, flag);
  }
  return found;
}

export function verbsWithSettings(program: VerbShape): VerbShape[] {
  return eachVerb(program).filter((verb) => verb.verbs.length === 0 && hasSettings(verb));
}

export function hasSettings({ row, flags }: VerbShape) {
  return row.withoutSettings !== true && settable({ flags }).length > 0;
}

export function settable({ flags }: Pick<VerbShape, 'flags'>) {
  return flags.filter(({ name, once }) => once !== true && !secretFlags.has(name));
}

/** Returns the flags that lose if this one is given. */
export const rivalsOf = ({ name, rivals = [] }: FlagShape) => [name, ...rivals];

/**
 * Leaves out defaults. A token is replaced by `-`, a password in an address by `***`. Of the flags that all verbs have,
 * it keeps the one for the configuration file, which changes what the line means.
 */
export function typedLine(command: Command) {
  const program = command.parent!;
  const config = flagsOf(program).filter((flag) => /^--(?:no-)?config\b/.test(flag));
  return [
    program.name(),
    command.name(),
    ...command.args.map((word) => shellWord(String(withoutSecret('', word)))),
    ...flagsOf(command),
    ...config,
  ].join(' ');
}

/** Returns each given flag with its value. */
const flagsOf = (command: Command) =>
  command.options.flatMap((option) => {
    const { long = '', negate } = option;
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    const given: unknown = command.getOptionValue(name);
    if (given === !negate) return long;
    if (negate || given === false) return [];
    const shown = withoutSecret(name, given);
    // The token has to be typed again.
    return [shown === mask ? '-' : shown].flat().map((one) => `${long}=${shellWord(String(one))}`);
  });

/** Flags whose value is a secret, or may be one by mistake, which belongs in a file of its own or in the environment. */
export const secretFlags = new Set(['token', 'password', 'provePassword']);

/** Flags that take a name and a file or an id. The name is not a secret, even if it is `tokens`. */
const pairs = new Set(['table', 'idp', 'secret']);

/**
 * Masks a secret. `-` stays, because it means standard input. In other flags, passwords in addresses and the like are
 * masked.
 */
export function withoutSecret(flag: string, value: unknown): unknown {
  if (pairs.has(flag)) return value;
  return secretFlags.has(flag) && value !== '-' ? mask : redact(value);
}
