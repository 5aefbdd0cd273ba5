/** A command of commander whose errors are `UsageError`s that suggest what was probably meant. */
import { Command, type ErrorOptions, type HelpContext, type ParseOptions } from 'commander';
import { UsageError } from '../errors.ts';
import { editDistance, nearest } from '../lib/nearest.ts';
import { pathOf, rootOf, type Verb } from './verb.ts';

export class IdportCommand extends Command {
  declare readonly commands: readonly IdportCommand[];
  declare readonly parent: IdportCommand | null;

  /** Called for every command once its flags are read, with the arguments between them. */
  afterOptions: (command: Command, operands: readonly string[]) => void = () => {};

  /** The row of the tree that is declared here. Undefined until then. */
  verb: Verb | undefined;

  /** Flags that the help shows. `all`, which `--help=all` asks for, shows all that fit what was typed. */
  shows: 'common' | 'all' | 'every' = 'common';

  /** Declares flags and subcommands, once the command is typed or listed. */
  declareRest: () => void = () => {};

  /** Expands a short form that was typed into the full command line. */
  expand: (argv: readonly string[]) => Promise<readonly string[]> = (argv) => Promise.resolve(argv);

  override async parseAsync(argv: readonly string[], options?: ParseOptions) {
    return super.parseAsync(await this.expand(argv), options);
  }

  #declare() {
    const { declareRest } = this;
    this.declareRest = () => {};
    declareRest();
    return this;
  }

  /** Returns the subcommand of this name, with its flags. */
  child(word: string) {
    const found = this.#declare().commands.find((child) => child.name() === word);
    return found && found.#declare();
  }

  /** All subcommands, with their flags. */
  get children(): readonly IdportCommand[] {
    return this.#declare().commands.map((child) => child.#declare());
  }

  override helpInformation(context?: HelpContext) {
    for (const child of this.commands) child.#declare();
    return super.helpInformation(context);
  }

  override createCommand(name?: string) {
    const command = new IdportCommand(name);
    command.afterOptions = this.afterOptions;
    return command;
  }

  /** commander calls this for everything that it refuses. */
  override error(message: string, { code = '' }: ErrorOptions): never {
    const text = message
      .replace(/^error: /, '')
      .replace(/^command-argument value ('.*') is invalid for argument '(.*)'\./s, '<$2> $1 is invalid.')
      // The value of a mistyped flag may be a secret: `--tokn=abc`.
      .replace(/^(unknown option '[^=]*)=.*'$/s, "$1'");
    const said = text.replace(/^required option '(.*)' not specified$/s, '$1 is missing');
    throw new UsageError(said, hintFor(this, code, text));
  }

  /** Reports a mistyped flag before a missing one, which it may explain. */
  override parseOptions(argv: string[]) {
    this.#declare();
    if (argv.includes(allHelp)) this.shows = 'all';
    const parsed = super.parseOptions(argv.map((word) => (word === allHelp ? '--help' : word)));
    const [unknown] = parsed.unknown;
    const asksForHelp = parsed.unknown.some((flag) => flag === '--help' || flag === '-h');
    if (unknown !== undefined && this.commands.length === 0 && !asksForHelp) {
      const [name = ''] = unknown.split('=');
      const isSwitch = flagsOf(this).includes(bare(name));
      const problem = isSwitch ? `${name} takes no value` : `unknown option '${unknown}'`;
      this.error(problem, { code: 'commander.unknownOption' });
    }
    if (this.parent === null && asksForHelp) refuseUnknown(this, parsed.operands);
    this.afterOptions(this, parsed.operands);
    const asked = this.parent === null ? helpAskedFor(this, parsed.operands) : undefined;
    return asked === undefined ? parsed : { operands: asked, unknown: ['--help'] };
  }
}

const allHelp = '--help=all';

/** Throws for a word that is no command. commander would print the help of the command before it. */
function refuseUnknown(command: IdportCommand, [word, ...others]: readonly string[]) {
  if (word === undefined || word === 'help' || command.commands.length === 0) return;
  const child = command.child(word);
  if (child !== undefined) return refuseUnknown(child, others);
  command.error(`unknown command '${word}'`, { code: 'commander.unknownCommand' });
}

/** `help migrate keycloak` and `migrate help keycloak` ask for the help of `migrate keycloak`. */
function helpAskedFor(program: IdportCommand, words: readonly string[]) {
  const path: string[] = [];
  let command = program;
  let isAsked = false;
  for (const word of words) {
    const child = command.child(word);
    if (child !== undefined) {
      path.push(word);
      command = child;
    } else if (word === 'help' && !isAsked && command.commands.length > 0) isAsked = true;
    else if (isAsked) return command.error(`unknown command '${word}'`, { code: 'commander.unknownCommand' });
    else return undefined;
  }
  return isAsked && path.length > 0 ? path : undefined;
}

/** Returns the full name of a command: `idport migrate keycloak`. */
export function fullName(command: Command) {
  return ['idport', ...pathOf(command)].join(' ');
}

/** Advice by commander's error code. What an error is about is only in its message: `quoted` is the first text in quotes. */
const helpFor: Readonly<
  Record<string, (command: IdportCommand, quoted: string, text: string) => string | undefined>
> = {
  'commander.unknownOption': (command, flag) =>
    bodyHint(command, flag) ??
    (didYouMean(similarFlags(command, flag)) ||
      // Sources have these flags, but no source is named.
      (command.name() === 'migrate'
        ? 'Name the export or its source first: idport migrate realm.json.'
        : '')),
  'commander.unknownCommand': (command, word) =>
    didYouMean(similarVerbs(command, word)) + codeHint(word) + listVerbs(command),
  'commander.excessArguments': listHint,
  'commander.invalidArgument': (_, __, text) => {
    const [, value = '', choices = ''] =
      /'([^']*)' is invalid.* Allowed choices are (.*)\.$/s.exec(text) ?? [];
    return didYouMean(nearest(value, choices.split(', '), isBegun));
  },
  'commander.missingMandatoryOptionValue': describeNamed,
  'commander.optionMissingArgument': describeNamed,
  'commander.missingArgument': describeNamed,
};

/** Describes a flag or an argument: `--org <id>: organization that the users go to. ` */
function describeNamed({ options, registeredArguments }: IdportCommand, named: string) {
  const all = [
    ...options.map(({ flags, description }) => [flags, description]),
    ...registeredArguments.map((argument) => [argument.name(), argument.description]),
  ];
  return all.flatMap(([name, help]) => (name === named ? `${name}: ${help}. ` : [])).join('');
}

/** Advice that ends in a sentence stands alone. A space at its end means that the help says more. */
function hintFor(command: IdportCommand, code: string, text: string) {
  const [, quoted = ''] = /'([^']*)'/.exec(text) ?? [];
  const advice = helpFor[code]?.(command, quoted, text) ?? '';
  const isWhole = advice !== '' && !advice.endsWith(' ');
  return isWhole ? advice : `${advice}\`${fullName(command)} --help\` says more.`;
}

const didYouMean = (meant: readonly string[]) =>
  meant.length === 0 ? '' : `Did you mean ${meant.join(' or ')}? `;

/** Suggests `explain` for a word with a colon, which is a code: `help password:none`. */
const codeHint = (word: string) =>
  /^[a-z-]+:[a-z0-9-]+$/.test(word) ? `\`idport explain ${word}\` says what this code means. ` : '';

/** Roles and applications can only be compared with a body, because a source does not know their ids at the target. */
function bodyHint(command: Command, flag: string) {
  const verb = pathOf(command).join(' ');
  if (verb === 'import' && flag === '--org') {
    return 'The body names its organizations. `idport import-users` sends its users to another one: --org=<id>.';
  }
  if (
    !['check', 'verify', 'import-users'].includes(verb) ||
    !/^--(?:roles|apps|further-memberships)$/.test(flag)
  )
    return undefined;
  return `Pass ${flag} to \`idport migrate\`, then run \`idport ${verb} importBody.json\`: the body has what it adds.`;
}

/** Lists all subcommands, except those of the program itself, which has too many. */
function listVerbs(command: IdportCommand) {
  if (command.parent === null) return '';
  const what = command.name() === 'migrate' ? 'The sources are' : 'The commands are';
  return `${what} ${command.children.map((child) => child.name()).join(', ')}. `;
}

function similarFlags(command: Command, flag: string) {
  const near = nearest(bare(flag), flagsOf(command), isBegun);
  const meant = near.length > 0 ? near : nearest(bare(flag), flagsOf(command), almostBegins);
  return meant.map((name) => `--${name}`);
}

function isBegun(requested: string, name: string) {
  return requested.length > 2 && name.startsWith(requested);
}

/** Reports whether a name begins almost as requested: `tokn` for `token-file`. */
const almostBegins = (requested: string, name: string) =>
  requested.length > 3 && editDistance(requested, name.slice(0, requested.length + 1)) < 2;

const bare = (flag: string) => flag.replace(/^-+/, '');

/** Returns the flags of the verb, and of all verbs. */
function flagsOf(command: Command): string[] {
  const own = command.options.flatMap(({ long }) => (long ? [bare(long)] : []));
  return command.parent === null ? [...own, 'help'] : [...own, ...flagsOf(command.parent)];
}

/** Returns similar verbs at this level, else below: `keycloak` suggests `migrate keycloak`. */
function similarVerbs({ children }: IdportCommand, word: string) {
  const near = nearest(word, [...children.map((child) => child.name()), 'help'], isBegun);
  if (near.length > 0) return near;
  const below = children.flatMap((child) => child.children.flatMap((verb) => [verb, ...verb.children]));
  const names = nearest(
    word,
    below.map((verb) => verb.name()),
  );
  return below.filter((verb) => verb.name() === names[0]).map((verb) => `\`${fullName(verb)}\``);
}

/** Explains how to give several values to a list flag. Undefined if the surplus argument does not follow one. */
function listHint(command: Command) {
  const tooMany = command.args.slice(command.registeredArguments.length);
  const option = optionBefore(tooMany[0] ?? '', command);
  const values: unknown = option && command.getOptionValue(option.attributeName());
  if (option === undefined || !Array.isArray(values)) return undefined;
  const all = [...(values as readonly string[]), ...tooMany];
  const again = all.map((value) => `${option.long}=${value}`).join(' ');
  const atOnce = option.variadic ? `, or: ${option.long} ${all.join(' ')}` : '';
  return `After = there is one value; give the flag again for each: ${again}${atOnce}`;
}

function optionBefore(argument: string, command: Command) {
  const { rawArgs } = rootOf(command) as Command & { readonly rawArgs: readonly string[] };
  const [name] = (rawArgs[rawArgs.indexOf(argument) - 1] ?? '').split('=');
  return command.options.find(({ long }) => long === name);
}

export function examples(...lines: readonly string[]) {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
