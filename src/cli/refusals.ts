/** Command lines that cannot be: each refusal suggests what was probably meant. */
import { UsageError } from '../errors.ts';
import { editDistance, nearest } from '../lib/nearest.ts';
import { eachVerb, type FlagShape, fullName, lastName, type VerbShape } from './shape.ts';

/** With the choice that is near to a wrong one, or with what a missing flag is about. */
export function refuseLine(
  verb: VerbShape,
  text: string,
  hint: {
    readonly about?: string;
    readonly value?: string;
    readonly choices?: readonly string[];
  } = {},
): UsageError {
  const { about = '', value = '', choices = [] } = hint;
  const meant = didYouMean(nearest(value, choices, isBegun));
  return new UsageError(text, { hint: `${about}${meant}\`${fullName(verb)} --help\` says more.` });
}

/** Its value is not told, for it may be a secret: `--tokn=abc`. */
export function refuseFlag(verb: VerbShape, flag: string, flags: readonly FlagShape[]): UsageError {
  const hint = bodyHint(verb, flag);
  const text = `unknown option '${flag}'`;
  if (hint !== undefined) return new UsageError(text, { hint });
  const typed = flag.replace(/^-+/, '');
  const names = [...flags.flatMap(({ long, hidden = false }) => (hidden ? [] : long.slice(2))), 'help'];
  const near = nearest(typed, names, isBegun);
  const meant = near.length > 0 ? near : nearest(typed, names, almostBegins);
  return refuseLine(verb, text, { about: didYouMean(meant.map((name) => `--${name}`)) });
}

export function refuseWord(program: VerbShape, verb: VerbShape, word: string): UsageError {
  const below = verb.verbs.map(lastName);
  const what = verb.name === 'migrate' ? 'The sources are' : 'The commands are';
  // Of the program itself there are too many.
  const all = verb === program || below.length === 0 ? '' : `${what} ${below.join(', ')}. `;
  const near = nearest(word, [...below, 'help'], isBegun);
  const meant = near.length > 0 ? near : nearBelow(verb, word);
  return refuseLine(verb, `unknown command '${word}'`, { about: didYouMean(meant) + codeHint(word) + all });
}

/** Anywhere below, with the words before it: `keycloak` is `migrate keycloak`. */
function nearBelow(verb: VerbShape, word: string): string[] {
  const below = verb.verbs.flatMap((child) => eachVerb(child).slice(1));
  const [name] = nearest(word, below.map(lastName));
  return below.filter((one) => lastName(one) === name).map((one) => `\`${fullName(one)}\``);
}

/** `--realm=a b`. */
export function severalHint({ long, variadic }: FlagShape, values: readonly string[]): string {
  const again = values.map((value) => `${long}=${value}`).join(' ');
  const atOnce = variadic ? `, or: ${long} ${values.join(' ')}` : '';
  return `After = there is one value; give the flag again for each: ${again}${atOnce}`;
}

const didYouMean = (meant: readonly string[]): string =>
  meant.length === 0 ? '' : `Did you mean ${meant.join(' or ')}? `;

/** `help password:none`: what has a colon is a reason code, and no command. */
const codeHint = (word: string): string =>
  /^[a-z-]+:[a-z0-9-]+$/.test(word) ? `\`idport explain ${word}\` says what this code means. ` : '';

/** Roles and applications are compared by a body: a source alone does not say under which ids they were written. */
function bodyHint({ name }: VerbShape, flag: string): string | undefined {
  if (name === 'import' && flag === '--org') {
    return 'The body names its organizations. `idport import-users` sends its users to another one: --org=<id>.';
  }
  if (!['check', 'verify'].includes(name) || !/^--(?:roles|apps|further-memberships)$/.test(flag))
    return undefined;
  return `Give ${flag} to \`idport migrate\`, then run \`idport ${name} importBody.json\`: the body has what it adds.`;
}

const isBegun = (requested: string, name: string): boolean =>
  requested.length > 2 && name.startsWith(requested);

/** `tokn` is meant to begin `token-file`. */
const almostBegins = (requested: string, name: string): boolean =>
  requested.length > 3 && editDistance(requested, name.slice(0, requested.length + 1)) < 2;
