/**
 * What can be typed, as plain data: `verbs/shape.ts` makes it of the commander tree; completion and settings read it.
 */

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
