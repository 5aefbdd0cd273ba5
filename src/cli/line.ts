/** Reads a command line by the tree of verbs: which verb is meant, its words, and each flag with its value. */
import { UsageError } from '../errors.ts';
import { flagsOfOthers } from '../flags/source.ts';
import { splitWords } from '../lib/words.ts';
import type { ExportName } from '../sources/providers.ts';
import { refuseFlag, refuseLine, refuseWord, severalHint } from './refusals.ts';
import { type FlagShape, lastName, type VerbShape } from './shape.ts';
import type { Raw } from './verb.ts';

export interface Line {
  /** The program, then its verbs down to the one that is meant. */
  readonly path: VerbShape[];
  readonly words: string[];
  /** By attribute: what was typed, and what a configuration file adds. */
  readonly given: Map<string, { readonly value: unknown; readonly source: 'flag' | 'file' }>;
  /** `verb`: one of the verbs below is missing, and the help says which there are. */
  asks?: 'help' | 'all' | 'version' | 'verb' | undefined;
  /** Why it cannot run; that of a line that asks for help does not count. */
  problem?: unknown;
  /** The configuration file, and the settings that it gives. */
  config?: { readonly name: string; readonly file: string; readonly used: readonly string[] } | undefined;
  /** The list flag with an equals sign before the first word too many. */
  listBefore?: FlagShape | undefined;
}

const short: Readonly<Record<string, string>> = { '-h': '--help', '-V': '--version' };

export const verbOf = ({ path }: Pick<Line, 'path'>): VerbShape => path.at(-1)!;
/** The flags of the verb, and those that every verb has. */
export const flagsOf = ({ path }: Pick<Line, 'path'>): readonly FlagShape[] =>
  [...new Set([verbOf({ path }), path[0]!])].flatMap(({ flags }) => flags);

/** Never throws; what is wrong is the `problem` of the line. */
export function parseLine(argv: readonly string[], program: VerbShape): Line {
  const line: Line = { path: [program], words: [], given: new Map() };
  const find = (long: string): FlagShape | undefined => flagsOf(line).find((flag) => flag.long === long);
  let isHelp = false;
  let before: FlagShape | undefined;
  for (const part of splitWords(
    argv.map((word) => short[word] ?? word),
    (long) => find(long)?.value,
  )) {
    if ('word' in part) {
      isHelp = takeWord(line, part.word, isHelp, before);
      before = undefined;
      continue;
    }
    const { flag: long, values, isJoined } = part;
    const flag = find(long);
    before = isJoined && flag?.list !== undefined ? flag : undefined;
    if (long === '--help' && (!isJoined || values[0] === 'all')) line.asks = isJoined ? 'all' : 'help';
    else if (long === '--version' && !isJoined) line.asks ??= 'version';
    else if (flag === undefined || (isJoined && flag.takes === 'none'))
      line.problem ??= refuseFlag(verbOf(line), long, flagsOf(line));
    else takeFlag(line, flag, values);
  }
  if (isHelp && line.problem === undefined) line.asks ??= 'help';
  if (verbOf(line).load === undefined && line.problem === undefined) line.asks ??= 'verb';
  return line;
}

/** Returns whether the help was asked for: `help migrate keycloak` and `migrate help keycloak`. */
function takeWord(line: Line, word: string, isHelp: boolean, before: FlagShape | undefined): boolean {
  const verb = verbOf(line);
  const child = line.words.length === 0 ? verb.verbs.find((one) => lastName(one) === word) : undefined;
  if (child !== undefined) line.path.push(child);
  else if (word === 'help' && verb.verbs.length > 0 && !isHelp) return true;
  else if (verb.verbs.length > 0 || isHelp) line.problem ??= refuseWord(line.path[0]!, verb, word);
  else {
    line.words.push(word);
    if (line.words.length === verb.arguments.length + 1) line.listBefore = before;
  }
  return isHelp;
}

function takeFlag(line: Line, flag: FlagShape, values: readonly string[]): void {
  const { attribute, value: form, takes, list, choices, negated } = flag;
  const owner = verbOf(line).flags.includes(flag) ? verbOf(line) : line.path[0]!;
  const [last] = values.slice(-1);
  const term = `${flag.long} ${form}`;
  if (last === undefined && takes === 'needed')
    line.problem ??= refuseLine(owner, `option '${term}' argument missing`);
  if (last !== undefined && choices?.includes(last) === false)
    line.problem ??= refuseChoice(owner, `option '${term}' argument '${last}' is invalid.`, last, choices);
  const set = (value: unknown): void => void line.given.set(attribute, { value, source: 'flag' });
  if (takes === 'none') return set(negated !== true);
  if (list === undefined) return set(last ?? true);
  const earlier = (line.given.get(attribute)?.value ?? []) as readonly string[];
  const added =
    list === 'commas' ? values.flatMap((value) => value.split(',')).filter((one) => one !== '') : values;
  set([...earlier, ...added]);
}

const refuseChoice = (verb: VerbShape, text: string, value: string, choices: readonly string[]) =>
  refuseLine(verb, `${text} Allowed choices are ${choices.join(', ')}.`, { value, choices });

/** Throws `UsageError` for a line that says too little or too much. */
export function checkLine(line: Line): void {
  const { path, given, words } = line;
  const verb = verbOf(line);
  const isAlone = verb.flags.some(({ alone, attribute }) => alone === true && given.has(attribute));
  const missing = verb.flags.find(({ required, attribute }) => required === true && !given.has(attribute));
  if (missing !== undefined && !isAlone) {
    const term = `${missing.long} ${missing.value}`;
    throw refuseLine(verb, `required option '${term}' not specified`, {
      about: `${term}: ${missing.help}. `,
    });
  }
  if (given.get('json')?.value === true && given.get('quiet')?.value === true)
    throw refuseLine(path[0]!, `option '--json' cannot be used with option '--quiet'`);
  const absent = verb.arguments.find(({ required }, at) => required === true && words[at] === undefined);
  if (absent !== undefined) throw refuseLine(verb, `missing required argument '${absent.placeholder}'`);
  const most = verb.arguments.length;
  if (words.length > most && verb.arguments.at(-1)?.variadic !== true) {
    const text = `too many arguments for '${lastName(verb)}'. Expected ${most} argument${most === 1 ? '' : 's'} but got ${words.length}.`;
    const { listBefore: flag } = line;
    if (flag === undefined) throw refuseLine(verb, text);
    const values = given.get(flag.attribute)?.value as readonly string[];
    throw new UsageError(text, { hint: severalHint(flag, [...values, ...words.slice(most)]) });
  }
  for (const [at, { choices, placeholder }] of verb.arguments.entries()) {
    const word = words[at];
    if (word === undefined || choices?.includes(word) !== false) continue;
    throw refuseChoice(
      verb,
      `command-argument value '${word}' is invalid for argument '${placeholder}'.`,
      word,
      choices,
    );
  }
}

/** Throws `UsageError` for a flag that was typed and that no one would read: of a conversion, or of another source. */
export function refuseUnread(line: Line): void {
  const verb = verbOf(line);
  const from = line.given.get('from')?.value as ExportName | undefined;
  const hasBody = verb.arguments[0]?.attribute === 'body' && line.words.length > 0;
  if (from === undefined && !hasBody) return;
  const foreign = from === undefined ? undefined : flagsOfOthers(from);
  const unread = verb.flags.find(
    ({ attribute, converts = false }) =>
      line.given.get(attribute)?.source === 'flag' && (foreign?.has(attribute) ?? converts),
  );
  if (unread === undefined) return;
  if (from === undefined)
    throw new UsageError(`${unread.long} belongs to --from, or to the conversion that writes the body`);
  throw new UsageError(`${unread.long} is not a flag of ${from}`, {
    hint: `\`idport migrate ${from} --help=all\` lists what this source has.`,
  });
}

/** What the command of the verb reads: defaults, what was given, and the words by the names of the arguments. */
export function rawOf(line: Line, flags: readonly FlagShape[] = verbOf(line).flags): Raw {
  const raw: Record<string, unknown> = {};
  for (const { attribute, preset, negated } of flags) {
    const value = line.given.get(attribute)?.value ?? preset ?? negated;
    if (value !== undefined) raw[attribute] = value;
  }
  for (const [at, { attribute, variadic }] of verbOf(line).arguments.entries())
    raw[attribute] = variadic ? line.words.slice(at) : line.words[at];
  return raw;
}
