/** Describes the commander tree as plain data, for completion, the configuration file and hints. */
import type { Argument, Command, Option } from 'commander';
import { childrenOf } from './command.ts';
import { append, collect } from './verb.ts';

export interface FlagShape {
  /** As it is typed: `--realm`, `--no-color`. */
  readonly long: string;
  readonly short?: string | undefined;
  /** Without dashes and `no-`: `realm`, `color`; its name in a configuration file. */
  readonly name: string;
  /** What the command calls it: `tokenFile`. */
  readonly attribute: string;
  readonly description: string;
  readonly value: 'none' | 'needed' | 'optional';
  readonly list: boolean;
  /** Whether several values may follow it: `--realm a b`. */
  readonly variadic: boolean;
  /** Whether its value counts something; ids do not, and are too long for a number of JSON. */
  readonly numeric: boolean;
  readonly choices: readonly string[];
  readonly place?: Place | undefined;
  /** The environment variable that stands in for it. */
  readonly variable?: string | undefined;
  readonly hidden: boolean;
}

/** Where a value is the path of something. A `name` is a path only where it looks like one: `my-target.json`. */
export type Place = 'file' | 'folder' | 'name or file';

export interface ArgumentShape {
  readonly name: string;
  readonly list: boolean;
  readonly choices: readonly string[];
  readonly place?: Place | undefined;
}

export interface VerbShape {
  /** `migrate keycloak`; empty for the program itself. */
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagShape[];
  readonly arguments: readonly ArgumentShape[];
  readonly verbs: readonly VerbShape[];
}

/** A verb and all below it, parents before their children. */
export function eachVerb(verb: VerbShape): VerbShape[] {
  return [verb, ...verb.verbs.flatMap(eachVerb)];
}

/** The verb that a command line begins with, as far down as its words are names. */
export function findVerb(program: VerbShape, words: readonly string[]): VerbShape {
  const [word, ...others] = words;
  const child = program.verbs.find(({ name }) => name.split(' ').at(-1) === word);
  return child === undefined ? program : findVerb(child, others);
}

export function describeVerb(command: Command, above = ''): VerbShape {
  const name = command.parent === null ? '' : `${above} ${command.name()}`.trim();
  let verbs: VerbShape[] | undefined;
  return {
    name,
    description: command.description(),
    flags: command.options.map(describeFlag),
    arguments: command.registeredArguments.map(describeArgument),
    // Only when asked for: all verbs take longer than most runs.
    get verbs() {
      return (verbs ??= childrenOf(command).map((child) => describeVerb(child, name)));
    },
  };
}

/** What stands between the brackets of a flag or an argument, where it is a path. */
const places: Readonly<Record<string, Place>> = {
  file: 'file',
  path: 'file',
  report: 'file',
  body: 'file',
  recordings: 'file',
  folder: 'folder',
  'name|file': 'name or file',
  profile: 'name or file',
};

const counts = new Set(['n', 'n|%', 'number', 'port', 'seconds', 'amount', 'code']);

function describeFlag(option: Option): FlagShape {
  const long = option.long ?? option.flags;
  const placeholder = /[<[]([^>\]]*)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    long,
    short: option.short,
    name: long.replace(/^--(?:no-)?/, ''),
    attribute: option.attributeName(),
    description: option.description,
    value: valueOf(option),
    list: option.variadic || option.parseArg === collect || option.parseArg === append,
    variadic: option.variadic,
    numeric: counts.has(placeholder),
    choices: option.argChoices ?? [],
    place: places[placeholder.replace('...', '')],
    variable: /\((IDPORT_\w+)\)/.exec(option.description)?.[1],
    hidden: option.hidden,
  };
}

function valueOf({ required, optional }: Option): FlagShape['value'] {
  if (required) return 'needed';
  return optional ? 'optional' : 'none';
}

function describeArgument(argument: Argument): ArgumentShape {
  return {
    name: argument.name(),
    list: argument.variadic,
    choices: argument.argChoices ?? [],
    place: places[argument.name()],
  };
}
