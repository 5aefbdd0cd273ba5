/** What may stand at the end of a command line: the scripts of `scripts.ts` ask for it with `IDPORT_COMPLETE=<shell>`. */
import { splitWords } from '../../lib/words.ts';
import { findVerb, type FlagShape, lastName, type VerbShape } from '../shape.ts';
import type { Shell } from './scripts.ts';

interface Offer {
  readonly word: string;
  readonly help: string;
}

/** Several words, or that the shell itself lists files or folders. */
type Offers = readonly Offer[] | '@file' | '@folder';

/** `typed` ends with the word before the cursor, which may be empty. */
export function offersFor(program: VerbShape, typed: readonly string[]): Offers {
  const words = joinValues(typed);
  const last = words.pop() ?? '';
  let verb = program;
  const flagOf = (word: string): FlagShape | undefined =>
    [...verb.flags, ...program.flags].find(({ long, takes }) => long === word && takes === 'needed');
  /** The flag whose value comes next. */
  let open: FlagShape | undefined;
  for (const part of splitWords(words, (flag) => flagOf(flag)?.value)) {
    if ('word' in part) verb = findVerb(verb, [part.word]);
    const flag = 'word' in part || part.isJoined ? undefined : flagOf(part.flag);
    open = flag?.variadic === true || ('values' in part && part.values.length === 0) ? flag : undefined;
  }
  const [flag = '', value] = last.split(/=(.*)/s);
  if (value !== undefined) return beginning(value, valuesOf(flagOf(flag)));
  if (last.startsWith('-')) return beginning(last, flagsOf(verb, program));
  if (open !== undefined) return beginning(last, valuesOf(open));
  if (verb.verbs.length === 0) return beginning(last, valuesOf(verb.arguments[0]));
  const below = verb.verbs.map((one) => ({ word: lastName(one), help: one.description }));
  return beginning(last, verb === program ? [...below, helpVerb] : below);
}

const helpVerb = { word: 'help', help: 'print the help of a verb' };

/** Lines for a shell: behind each word what it means, where the shell shows that. */
export function formatOffers(offers: Offers, shell: Shell): string {
  if (typeof offers === 'string') return `${offers}\n`;
  return offers.map((offer) => `${lines[shell](offer)}\n`).join('');
}

const lines: Readonly<Record<Shell, (offer: Offer) => string>> = {
  bash: ({ word }) => word,
  // `_describe` takes the first colon for the end of the word.
  zsh: ({ word, help }) => `${word.replaceAll(':', String.raw`\:`)}:${help}`,
  fish: ({ word, help }) => `${word}\t${help}`,
};

/** bash hands on `--flag=value` in three parts. */
function joinValues(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const isPart = word === '=' || words[at - 1] === '=';
    if (isPart && joined.at(-1)?.startsWith('--') === true) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return joined;
}

function flagsOf(verb: VerbShape, program: VerbShape): Offer[] {
  const all = [...new Set([...verb.flags, ...program.flags])].filter(({ hidden = false }) => !hidden);
  return [...all.map(({ long, help }) => ({ word: long, help })), { word: '--help', help: 'print help' }];
}

function valuesOf(flag: FlagShape | undefined): Offers {
  if (flag?.choices !== undefined) return flag.choices.map((word) => ({ word, help: '' }));
  if (flag?.place === undefined) return [];
  return flag.place === 'folder' ? '@folder' : '@file';
}

const beginning = (text: string, offers: Offers): Offers =>
  typeof offers === 'string' ? offers : offers.filter(({ word }) => word.startsWith(text));
