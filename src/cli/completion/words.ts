/** What may stand at each place of a command line: the same for every shell. */
import { shellQuoted } from '../../lib/shell-word.ts';
import { eachVerb, type FlagShape, type VerbShape } from '../shape.ts';

/** One of a few words, a path, or a text that cannot be completed. */
export type Values = readonly string[] | 'file' | 'folder' | 'text';

export interface FlagWords {
  readonly long: string;
  readonly description: string;
  /** Absent where it takes no value, or need not have one. */
  readonly values?: Values;
  readonly variadic: boolean;
}

export interface VerbWords {
  /** `migrate keycloak`; empty for the program itself. */
  readonly name: string;
  readonly verbs: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly FlagWords[];
  /** What its arguments may be. */
  readonly values: Values;
}

export function wordsOf(program: VerbShape): VerbWords[] {
  return eachVerb(program).map((verb) => ({
    name: verb.name,
    verbs: childrenOf(verb, program),
    flags: [
      ...(verb === program ? [parsed('--version', 'print the version')] : verb.flags.map(wordsOfFlag)),
      ...program.flags.map(wordsOfFlag),
      parsed('--no-config', 'ignore the configuration file'),
      parsed('--help', 'print help'),
    ].filter(({ hidden }) => !hidden),
    values: valuesOfArguments(verb.arguments),
  }));
}

/** A switch that the parser knows by itself. */
const parsed = (long: string, description: string) => ({ long, description, variadic: false, hidden: false });

function childrenOf(verb: VerbShape, program: VerbShape): VerbWords['verbs'] {
  const children = verb.verbs.map(({ name, description }) => ({ name: lastOf(name), description }));
  return verb === program
    ? [...children, { name: 'help', description: 'print the help of a verb' }]
    : children;
}

const lastOf = (name: string): string => name.split(' ').at(-1) ?? '';

function wordsOfFlag(flag: FlagShape): FlagWords & { readonly hidden: boolean } {
  const { long, help: description, variadic, hidden = false } = flag;
  const words = { long, description, variadic, hidden };
  return flag.takes === 'needed' ? { ...words, values: valuesOf(flag) } : words;
}

function valuesOf({ choices, place }: FlagShape): Values {
  if (choices !== undefined) return choices;
  if (place === undefined) return 'text';
  return place === 'folder' ? 'folder' : 'file';
}

/** A verb has one argument, or several of one kind. */
function valuesOfArguments([argument]: readonly FlagShape[]): Values {
  return argument === undefined ? 'text' : valuesOf(argument);
}

/** For `case` of a shell: the flags that take several values, one after the other, each with its verb. */
export function patternOfVariadic(verbs: readonly VerbWords[]): string {
  const flags = verbs.flatMap((verb) =>
    verb.flags.filter(({ variadic }) => variadic).map(({ long }) => shellQuoted(`${verb.name} ${long}`)),
  );
  return flags.length === 0 ? "''" : flags.join('|');
}
