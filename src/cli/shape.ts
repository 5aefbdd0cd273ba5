/** The tree of verbs as the parser, the help, completion, the configuration file and hints look at it. */
import { type Flag, longName, settingName, type Table } from '../lib/flag.ts';
import type { Verb } from './verb.ts';

export interface FlagShape extends Flag {
  /** As it is typed: `--realm`, `--no-color`. */
  readonly long: string;
  /** Without dashes and `no-`: `realm`, `color`; its name in a configuration file. */
  readonly name: string;
  /** What the command calls it: `tokenFile`. */
  readonly attribute: string;
  /** What stands between the brackets behind it, without them. */
  readonly placeholder: string;
  readonly takes: 'none' | 'needed' | 'optional';
  /** Whether several values may follow it: `--realm a b`. */
  readonly variadic: boolean;
  /** Whether its value counts something; ids do not, and are too long for a number of JSON. */
  readonly numeric: boolean;
  readonly place?: Place | undefined;
  /** The environment variable that stands in for it. */
  readonly variable?: string | undefined;
}

/** Where a value is the path of something. A `name` is a path only where it looks like one: `my-target.json`. */
export type Place = 'file' | 'folder' | 'name or file';

export interface VerbShape extends Omit<Verb, 'args' | 'flags' | 'verbs'> {
  /** `migrate keycloak`; empty for the program itself. */
  readonly name: string;
  readonly flags: readonly FlagShape[];
  readonly arguments: readonly FlagShape[];
  /** Both. */
  readonly table: Table;
  readonly verbs: readonly VerbShape[];
}

/** `idport migrate keycloak` */
export const fullName = ({ name }: VerbShape): string => `idport ${name}`.trimEnd();

/** `keycloak` */
export const lastName = ({ name }: VerbShape): string => name.split(' ').at(-1) ?? '';

/** A verb and all below it, parents before their children. */
export function eachVerb(verb: VerbShape): VerbShape[] {
  return [verb, ...verb.verbs.flatMap(eachVerb)];
}

/** The verb that a command line begins with, as far down as its words are names. */
export function findVerb(program: VerbShape, [word, ...others]: readonly string[]): VerbShape {
  const child = program.verbs.find((verb) => lastName(verb) === word);
  return child === undefined ? program : findVerb(child, others);
}

export function describeVerb({ args = {}, flags, verbs: below = {}, ...verb }: Verb, name = ''): VerbShape {
  let verbs: VerbShape[] | undefined;
  return {
    ...verb,
    name,
    flags: describeFlags(flags),
    arguments: describeFlags(args),
    table: { ...args, ...flags },
    // Only when asked for: all verbs take longer than most runs.
    get verbs() {
      return (verbs ??= Object.entries(below).map(([word, make]) =>
        describeVerb(make(), `${name} ${word}`.trim()),
      ));
    },
  };
}

/** What stands between the brackets of a flag or an argument, where it is a path. */
const places: Readonly<Record<string, Place>> = {
  file: 'file',
  files: 'file',
  path: 'file',
  report: 'file',
  body: 'file',
  recordings: 'file',
  folder: 'folder',
  'name|file': 'name or file',
  profile: 'name or file',
};

const counts = /^(?:n|n\|%|number|port|seconds|amount|code)$/;

function describeFlags(table: Table): FlagShape[] {
  return Object.entries(table).map(([attribute, flag]) => {
    const { value = '' } = flag;
    const placeholder = value.replaceAll(/[<>[\]]|\.\.\./g, '');
    return {
      ...flag,
      long: longName(attribute, flag),
      name: settingName(attribute),
      attribute,
      placeholder,
      takes: takenBy(value),
      variadic: /\.\.\.[>\]]$/.test(value),
      numeric: counts.test(placeholder),
      place: places[placeholder],
      variable: /\((IDPORT_\w+)\)/.exec(flag.help)?.[1],
    };
  });
}

function takenBy(value: string): FlagShape['takes'] {
  if (value === '') return 'none';
  return value.startsWith('[') ? 'optional' : 'needed';
}
