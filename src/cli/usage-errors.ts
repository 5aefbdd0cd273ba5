/** Turns what commander refuses into `UsageError`s that suggest what was probably meant. */
import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { eachVerb, type FlagShape, fullName, lastWord, type VerbShape } from './shape.ts';

/** What is refused: a command, and the verbs from the program down to its own. */
interface Refused {
  readonly command: Command;
  readonly path: readonly VerbShape[];
}

/** Returns the end after help or a version unchanged. */
export function toUsageError({ code, message }: CommanderError, refused: Refused) {
  const text = message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for argument '(.*)'\./s, '<$2> $1 is invalid.')
    // The value of a mistyped flag may be a secret: `--tokn=abc`.
    .replace(/^(unknown option '[^=]*)=.*'$/s, "$1'");
  const [, quoted = ''] = /'([^']*)'/.exec(text) ?? [];
  const isSwitch = code === 'commander.unknownOption' && flagsOf(refused.command).includes(bare(quoted));
  if (isSwitch) return new UsageError(`${quoted} takes no value`, withMore('', refused.path));
  return new UsageError(text, withMore(helpFor[code]?.(refused, quoted, text) ?? '', refused.path));
}

/** The error of a word that is no command. */
export function unknownCommand(word: string, path: readonly VerbShape[]) {
  const verb = path.at(-1)!;
  const advice = didYouMean(similarVerbs(verb, word)) + codeHint(word) || listVerbs(verb);
  return new UsageError(`unknown command '${word}'`, withMore(advice, path));
}

/** The error of a flag or an argument that is not given. */
export function missing(flag: FlagShape, isArgument: boolean, path: readonly VerbShape[]) {
  const { value = '', help } = flag;
  const name = isArgument ? value.replaceAll(/[<>.]/g, '') : `${flag.long} ${value}`;
  const problem = isArgument ? `missing required argument '${name}'` : `${name} is missing`;
  return new UsageError(problem, withMore(`${name}: ${help}. `, path));
}

/** Advice by commander's error code. What an error is about is only in its message: `quoted` is the first text in quotes. */
const helpFor: Readonly<
  Record<string, (refused: Refused, quoted: string, text: string) => string | undefined>
> = {
  'commander.unknownOption': ({ command, path }, flag) =>
    expectedHint(path, flag) ?? (didYouMean(similarFlags(command, flag)) || nameFirst[command.name()]),
  'commander.excessArguments': () =>
    'After = there is one value; give the flag again for each: --realm=a.json --realm=b.json. ',
  'commander.invalidArgument': (_, __, text) => {
    const [, value = '', choices = ''] =
      /'([^']*)' is invalid.* Allowed choices are (.*)\.$/s.exec(text) ?? [];
    return didYouMean(nearest(value, choices.split(', '), isBegun));
  },
  // For example `--org <id>: organization that the users go to. `
  'commander.optionMissingArgument': ({ command }, named) =>
    command.options
      .flatMap(({ flags, description }) => (flags === named ? `${flags}: ${description}. ` : []))
      .join(''),
};

/** Advice for a flag that may belong to a command, or to a source, that is not named before it. */
const nameFirst: Readonly<Record<string, string>> = {
  idport: 'Flags follow the name of the command: idport migrate realm.json --org=<id>.',
  migrate: 'Name the export or its source first: idport migrate realm.json.',
};

/** Advice that ends in a sentence stands alone. A space at its end means that the help says more. */
function withMore(advice: string, path: readonly VerbShape[]) {
  const isWhole = advice !== '' && !advice.endsWith(' ');
  return isWhole ? advice : `${advice}\`${fullName(path.at(-1)!)} --help\` says more.`;
}

const didYouMean = (meant: readonly string[]) =>
  meant.length === 0 ? '' : `Did you mean ${meant.join(' or ')}? `;

/** Suggests `explain` for a word with a colon, which is a code: `help password:none`. */
const codeHint = (word: string) =>
  /^[a-z-]+:[a-z0-9-]+$/.test(word) ? `\`idport explain ${word}\` says what this code means. ` : '';

/** Advice for flags that are often expected of a verb. */
const expected: Readonly<Record<string, string>> = {
  'import --org':
    'The body names its organizations. `idport import-users` sends its users to another one: --org=<id>.',
  'undo --dry-run': 'Without --yes, undo only lists what it would delete.',
  'map --output': 'The draft goes to standard output: idport map users.csv > mapping.yaml.',
};

/** Roles and applications can only be compared with a body, because a source does not know their ids at the target. */
const ofBodies = /^(check|verify|import-users) (--roles|--apps|--further-memberships)$/;

function expectedHint([, verb]: readonly VerbShape[], flag: string) {
  const typed = `${verb?.name} ${flag}`;
  const advice = typed.replace(
    ofBodies,
    'Pass $2 to `idport migrate`, then run `idport $1 importBody.json`: the body has what it adds.',
  );
  return expected[typed] ?? (advice === typed ? undefined : advice);
}

/** Lists all subcommands, except those of the program itself, which has too many. */
function listVerbs({ name, verbs }: VerbShape) {
  if (name === '' || verbs.length === 0) return '';
  const what = name === 'migrate' ? 'The sources are' : 'The commands are';
  return `${what} ${verbs.map(lastWord).join(', ')}. `;
}

function similarFlags(command: Command, flag: string) {
  return nearest(bare(flag), flagsOf(command), isBegun).map((name) => `--${name}`);
}

function isBegun(requested: string, name: string) {
  return requested.length > 2 && name.startsWith(requested);
}

const bare = (flag: string) => flag.replace(/^-+/, '');

/** Returns the flags of the verb, and of all verbs. */
function flagsOf(command: Command): string[] {
  const own = command.options.flatMap(({ long }) => (long ? [bare(long)] : []));
  return command.parent === null ? [...own, 'help'] : [...own, ...flagsOf(command.parent)];
}

/** Returns similar verbs at this level, else below: `keycloak` suggests `migrate keycloak`. */
function similarVerbs({ verbs }: VerbShape, word: string) {
  const near = nearest(word, [...verbs.map(lastWord), 'help'], isBegun);
  if (near.length > 0 || verbs.length === 0) return near;
  const below = verbs.flatMap((verb) => eachVerb(verb).slice(1));
  const names = nearest(word, below.map(lastWord));
  return below.filter((verb) => lastWord(verb) === names[0]).map((verb) => `\`${fullName(verb)}\``);
}
