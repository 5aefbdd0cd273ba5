/** Completes a command line for the scripts of `scripts.ts`, which ask with `IDPORT_COMPLETE=<shell>`. */
import { findVerb, type FlagShape, type VerbShape } from '../shape.ts';

interface Offer {
  readonly word: string;
  readonly help: string;
}

/** Words, or a request that the shell lists files or folders. */
type Offers = readonly Offer[] | '@file' | '@folder';

/** Returns what may follow. `typed` ends with the word before the cursor, which may be empty. */
export function offersFor(program: VerbShape, typed: readonly string[]): Offers {
  const words = joinValues(typed);
  const last = words.pop() ?? '';
  let verb = program;
  /** The flag whose value comes next. */
  let open: FlagShape | undefined;
  for (const word of words) {
    if (word.startsWith('-')) open = flagOf(word, verb, program);
    else if (open === undefined) verb = findVerb(verb, [word]);
    else if (!open.variadic) open = undefined;
  }
  const [flag = '', value] = last.split(/=(.*)/s);
  if (value !== undefined) return beginning(value, valuesOf(flagOf(flag, verb, program)));
  if (last.startsWith('-')) return beginning(last, flagsOf(verb, program));
  if (open !== undefined) return beginning(last, valuesOf(open));
  if (verb.verbs.length === 0) return beginning(last, valuesOf(verb.arguments[0]));
  const below = verb.verbs.map(({ name, description }) => ({
    word: name.replace(/^.* /, ''),
    help: description,
  }));
  return beginning(last, verb === program ? [...below, helpVerb] : below);
}

const helpVerb = { word: 'help', help: 'print the help of a command' };

/** Writes a line for each word, with its help if the shell shows help. */
export function formatOffers(offers: Offers, shell: string) {
  if (typeof offers === 'string') return `${offers}\n`;
  return offers.map((offer) => `${lines[shell]?.(offer) ?? offer.word}\n`).join('');
}

const lines: Readonly<Record<string, (offer: Offer) => string>> = {
  // `_describe` takes the first colon for the end of the word.
  zsh: ({ word, help }) => `${word.replaceAll(':', String.raw`\:`)}:${help}`,
  fish: ({ word, help }) => `${word}\t${help}`,
};

/** Joins `--flag=value`, which bash passes in three words. */
function joinValues(words: readonly string[]) {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const isPart = word === '=' || words[at - 1] === '=';
    if (isPart && joined.at(-1)?.startsWith('--') === true) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return joined;
}

/** Returns the flag whose value follows. Undefined if the flag takes no value or already has one. */
function flagOf(word: string, verb: VerbShape, program: VerbShape) {
  return [...verb.flags, ...program.flags].find(({ long, takes }) => long === word && takes === 'needed');
}

function flagsOf(verb: VerbShape, program: VerbShape): Offer[] {
  const own = verb === program ? [parsed('--version', 'print the version')] : verb.flags;
  const others = [parsed('--no-config', 'ignore the configuration file'), parsed('--help', 'print help')];
  return [...own, ...program.flags, ...others].map(({ long: word, help }) => ({ word, help }));
}

/** Describes a switch that commander adds by itself. */
const parsed = (long: string, help: string) => ({ long, help });

function valuesOf(flag: FlagShape | undefined): Offers {
  if (flag?.choices !== undefined) return flag.choices.map((word) => ({ word, help: '' }));
  if (flag?.place === undefined) return [];
  return flag.place === 'folder' ? '@folder' : '@file';
}

const beginning = (text: string, offers: Offers): Offers =>
  typeof offers === 'string' ? offers : offers.filter(({ word }) => word.startsWith(text));
