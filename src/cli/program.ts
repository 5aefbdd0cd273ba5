/** Reads a command line: finds its verb in the tree, and lets commander read the flags and arguments of that verb. */
import { Command, Argument, InvalidArgumentError, Option } from 'commander';
import type { CommandOf, ProcessContext } from '../commands/context.ts';
import type { Program } from '../commands/record-run.ts';
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { programFlags } from '../flags/others.ts';
import { readReportPath, type Values, readFlags } from '../lib/flag.ts';
import { keepSentences, namedFlags } from '../lib/strings.ts';
import { createOutputs, type NamedFile } from '../storage/file-sink.ts';
import {
  applySettings,
  printConfig,
  type Settings,
  type Surroundings,
  withSettings,
} from './config/settings.ts';
import { helpLayout, kindOf, required, type Shows } from './help.ts';
import {
  describeVerb,
  eachVerb,
  type FlagShape,
  isSet,
  pathStart,
  type VerbShape,
  typedLine,
} from './shape.ts';
import { missing, toUsageError, unknownCommand } from './usage-errors.ts';
import type { Raw, Run } from './verb.ts';
import { tree } from './verbs/index.ts';

/** Flags that every verb understands. */
export type GlobalOptions = Partial<Values<typeof programFlags>>;

/** Where help and the version are printed. */
interface Write {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Without `write`, neither help nor the version is printed. Without `surroundings`, no configuration file is read. */
export function createProgram(version: string, write?: Write, surroundings?: Surroundings) {
  const shape = describeVerb(tree);
  const program = declareProgram(shape, version, write);
  return {
    /** Returns the flags of every verb, as far as the line was read. */
    globals: () => program.opts<GlobalOptions>(),
    /** Throws `UsageError` and `InputError`, and `CommanderError` once help or the version is printed. */
    async parse(argv: readonly string[]) {
      const { operands, unknown } = await splitLine(program, argv, surroundings?.cwd ?? process.cwd());
      const { path, words, asksForHelp } = findVerb(shape, operands);
      const shows = argv.includes(allHelp) ? 'all' : 'common';
      const command = path.length === 1 ? program : declareVerb(commandBelow(program, path), path, shows);
      command.parse(asksForHelp ? ['--help'] : [...quoted(words), ...unknown], { from: 'user' });
      if (path.at(-1)!.row.load === undefined) command.help({ error: true });
      const settings = surroundings && (await applySettings(command, path, surroundings));
      return prepare({ command, path, settings }, version, surroundings?.env ?? {});
    },
  };
}

const allHelp = '--help=all';

function commandBelow(program: Command, path: readonly VerbShape[]) {
  const command = program.createCommand(path.at(-1)!.name).copyInheritedSettings(program);
  program.addCommand(command);
  return command;
}

/** Takes the flags of the program from a line, and expands the short form of a conversion. */
async function splitLine(program: Command, argv: readonly string[], cwd: string) {
  const line = program.parseOptions(argv.map((word) => (word === allHelp ? '--help' : word)));
  const { operands, unknown } = line;
  if (operands[0] !== 'migrate' || operands.includes('help')) return line;
  const { expandMigrate } = await import('./short-migrate.ts');
  return program.parseOptions([
    'migrate',
    ...(await expandMigrate([...quoted(operands.slice(1)), ...unknown], { cwd })),
  ]);
}

/** Puts `--` back before operands that begin like flags, which stood after it. */
function quoted(operands: readonly string[]) {
  const at = operands.findIndex((word) => /^-./.test(word));
  return at === -1 ? operands : [...operands.slice(0, at), '--', ...operands.slice(at)];
}

/**
 * Returns the verbs from the program down to the one that the words name, and the other words. `help migrate keycloak` and
 * `migrate help keycloak` ask for the help of `migrate keycloak`.
 */
function findVerb(program: VerbShape, operands: readonly string[]) {
  const path = [program];
  let asksForHelp = false;
  for (const [at, word] of operands.entries()) {
    const verb = path.at(-1)!;
    const below = verb.below(word);
    const isBranch = verb.row.load === undefined;
    if (below !== undefined) path.push(below);
    else if (isBranch && word === 'help' && !asksForHelp) asksForHelp = true;
    else if (isBranch || asksForHelp) throw unknownCommand(word, path);
    else return { path, words: operands.slice(at), asksForHelp };
  }
  return { path, words: [], asksForHelp };
}

/** A line that was read, with the verbs from the program down to the one that runs. */
interface Line {
  readonly command: Command;
  readonly path: readonly VerbShape[];
  readonly settings: Settings | undefined;
}

/** Checks the flags of a line. Returns its values, and a function that loads the command of its verb. */
function prepare(line: Line, version: string, env: ProcessContext['env']) {
  const { command, path, settings } = line;
  const verb = path.at(-1)!;
  const { row } = verb;
  const words: Raw = Object.fromEntries(
    verb.arguments.map(({ attribute }, at) => [
      attribute,
      command.processedArgs[at] ?? command.getOptionValue(attribute),
    ]),
  );
  const options = { ...command.opts<Raw>(), ...words };
  const { printConfig: isPrinted = false } = command.parent!.opts<GlobalOptions>();
  if (!isPrinted) refuseMissing(line, options);
  refuseTwice(command, words);
  refuseUnread(line, words['body'] !== undefined);
  refuseAlone(line);
  const load = async () => {
    if (isPrinted) return withCall(printConfig(command, path, settings?.file ?? null, env), line);
    const action = await row.load!((argv, context) => runLine(version, argv, context));
    const table = { ...row.args, ...row.flags };
    const read: CommandOf<Raw> = (raw, context) => action(readFlags(table, raw) as never, context);
    const known = withCall(settings === undefined ? read : withSettings(read, settings), line);
    return withReport(known, verb, { version, verb: verb.name, command: typedLine(command) });
  };
  return { options, load };
}

/** Runs a command line of the library, or of a verb that runs others. No configuration file is read. */
export async function runLine(version: string, argv: readonly string[], context: ProcessContext) {
  const { load, options } = await createProgram(version).parse(argv);
  return (await load())(options, context);
}

/** Adds to the context how the command was called, fits the hints of its errors to its verb, and closes what it opened. */
function withCall(action: CommandOf<Raw>, line: Line): Run {
  const { command, path } = line;
  const given = command.options.flatMap((option) => {
    const source = command.getOptionValueSource(option.attributeName());
    return option.long === undefined || source === undefined || source === 'default' ? [] : [option.long];
  });
  const { json = false } = command.parent!.opts<GlobalOptions>();
  const typed = typedLine(command);
  return async (options, context) => {
    const emit: Emit = (event) =>
      context.emit(event.type === 'run:start' ? { ...event, flags: given, command: typed } : event);
    const outputs = createOutputs({ ...context, inUse: filesRead(line, context.env) });
    const opened: (() => unknown)[] = [() => outputs.close()];
    const addFacts = (facts: object) => void Object.assign(context.record ?? {}, facts);
    const onEnd = (close: () => unknown) => void opened.push(close);
    try {
      const own = { ...context, emit, given, typed, json, outputs, addFacts, onEnd };
      return (await action(options, own)) ?? ExitCode.done;
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined) error.hint = fitAdvice(error.hint, path);
      if (error instanceof UsageError) error.message = withOrigin(error.message, line, context.env);
      throw error;
    } finally {
      for (const close of opened.toReversed()) await close();
    }
  };
}

/** Adds where a value comes from that was not typed: `--url (in idport.config.json) is not an address`. */
function withOrigin(text: string, { command, path, settings }: Line, env: ProcessContext['env']) {
  const [long = '', name = ''] = /^--([a-z-]+)/.exec(text) ?? [];
  const flag = path.at(-1)?.flags.find((one) => one.name === name);
  const source = flag && command.getOptionValueSource(flag.attribute);
  if (flag === undefined || source === 'cli') return text;
  const variable = isSet(flag, env) ? flag.variable : undefined;
  const origin = source === 'config' ? settings?.name : variable;
  return origin === undefined ? text : text.replace(long, () => `${long} (in ${origin})`);
}

/** Records the run for a report or the summary of a step. Loads what that needs only then. */
function withReport(action: Run, { row }: VerbShape, program: Program): Run {
  if (row.flags['report'] === undefined) return action;
  return async (options, context) => {
    // Printing a mapping is not a run, so the report of the previous run stays.
    const report = options['printMap'] === true ? undefined : (options['report'] as string | undefined);
    if (report !== undefined) readReportPath('--report', report);
    else if (context.env['GITHUB_STEP_SUMMARY'] === undefined) return action(options, context);
    const { withRecord } = await import('../commands/record-run.ts');
    const line = { ...program, flags: options, report };
    return withRecord((own) => action(options, own), line, context);
  };
}

/** Returns the files that a command reads, by flags, configuration or environment. Its outputs may not replace them. */
function filesRead({ command, path }: Line, env: ProcessContext['env']): readonly NamedFile[] {
  const own = path.at(-1)!.flags.map((flag) => ({ ...flag, owner: command }));
  const all = path[0]!.flags.map((flag) => ({ ...flag, owner: command.parent! }));
  const files = [...own, ...all].flatMap((flag) => {
    const { long, attribute, value = '', output, owner } = flag;
    if (output === true || !/<[^>]*(?:file|path|report)/.test(value)) return [];
    const given: unknown = owner.getOptionValue(attribute);
    const paths = [given].flat().filter((one) => typeof one === 'string');
    return paths.map((one) => ({ what: `the file of ${long}`, path: one.slice(pathStart(flag, one)) }));
  });
  return [...files, { what: 'the key of IDPORT_KEY_FILE', path: env['IDPORT_KEY_FILE'] || undefined }];
}

/** A variable that every verb reads, if only to choose the profile or the organization. */
const readByAll = 'IDPORT_URL';
/** Matches a command in a message, which has its own flags. */
const quotedCommand = /`\w[^`]*`/g;

/**
 * Drops the sentences of a hint about flags and variables that the running verb does not have, because hints are written
 * for every verb. Undefined if none is left. `path` is the program, then its verbs down to the one that runs.
 */
export function fitAdvice(text: string, path: readonly VerbShape[]) {
  const own = namesOf(path);
  const foreign = (name: string) =>
    !own.has(name) && name !== readByAll && namesOf(path.slice(0, 1).flatMap(eachVerb)).has(name);
  return keepSentences(
    text,
    (sentence) => !sentence.replaceAll(quotedCommand, '').match(namedFlags)?.some(foreign),
  );
}

function namesOf(verbs: readonly VerbShape[]) {
  return new Set(
    verbs.flatMap(({ flags }) => flags.flatMap(({ long, variable }) => [long, variable ?? long])),
  );
}

/** Returns the command of the program, with the flags that every verb has. */
export function declareProgram(shape: VerbShape, version: string, write: Write = { out() {}, err() {} }) {
  const command = new Command('idport')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help; --help=all shows all flags')
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError() {} });
  const program = declareVerb(command, [shape], 'all');
  program.options.find(({ long }) => long === '--json')?.conflicts('quiet');
  return program.option('--no-config', 'ignore the configuration file');
}

/** Adds to a command what the last verb of a path has. */
export function declareVerb(command: Command, path: readonly VerbShape[], shows: Shows) {
  const verb = path.at(-1)!;
  const { description, examples, notes = '', load } = verb.row;
  command
    .description(description)
    .addHelpText('after', `${notes}\nExamples:\n${examples.map((line) => `  ${line}\n`).join('')}`)
    .configureHelp(helpLayout(verb, shows))
    .exitOverride((error) => {
      throw error.exitCode === 0 || error.code === 'commander.help'
        ? error
        : toUsageError(error, { command, path });
    });
  for (const argument of verb.arguments) command.addArgument(toArgument(argument));
  for (const flag of verb.flags) addFlag(command, flag);
  const flags = verb.flags.filter((flag) => flag.required).map(({ long, value }) => `${long} ${value}`);
  const operands = load === undefined ? ['[command]'] : verb.arguments.map(({ value = '' }) => value);
  return command.usage([...flags, '[options]', ...operands].join(' '));
}

/** Throws `UsageError` for a required flag or argument that is not given, unless a flag is that needs none of them. */
function refuseMissing({ path }: Line, options: Raw) {
  const { flags, arguments: words } = path.at(-1)!;
  const isGiven = ({ attribute }: FlagShape) => [options[attribute] ?? []].flat().length > 0;
  if (flags.some((flag) => flag.alone === true && isGiven(flag))) return;
  const lacks = (flag: FlagShape) => flag.required === true && !isGiven(flag);
  const flag = flags.find(lacks);
  const word = words.find(lacks);
  if (flag !== undefined || word !== undefined) throw missing((flag ?? word)!, flag === undefined, path);
}

/** Throws `UsageError` for a value that is typed as a flag and as an argument. */
function refuseTwice(command: Command, words: Raw) {
  for (const [name, value] of Object.entries(words))
    if (command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) !== value)
      throw new UsageError(`the ${name} is given twice, as --${name} and as an argument`);
}

/** Throws `UsageError` if a typed flag would be ignored, because it belongs to a conversion or to another source. */
function refuseUnread({ command, path }: Line, hasBody: boolean) {
  const from = command.getOptionValue('from') as string | undefined;
  if (from === undefined && !hasBody) return;
  const kind = kindOf(path.at(-1)!, command);
  const unread = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli' && kind(option) !== 'own',
  );
  if (unread === undefined) return;
  if (from === undefined)
    throw new UsageError(`${unread.long} belongs to --from, or to the conversion that writes the body`);
  throw new UsageError(
    `${unread.long} is not a flag of ${from}`,
    `\`idport migrate ${from} --help=all\` lists what this source has.`,
  );
}

/** Throws `UsageError` for a typed flag that would change nothing, because it belongs to another one, which is not given. */
function refuseAlone({ command, path }: Line) {
  const { flags } = path.at(-1)!;
  for (const { attribute, long, belongsTo, preset } of flags) {
    const owner = flags.find((flag) => flag.attribute === belongsTo);
    if (owner === undefined || command.getOptionValueSource(attribute) !== 'cli') continue;
    if (command.getOptionValue(owner.attribute) || command.getOptionValue(attribute) === preset) continue;
    throw new UsageError(`${long} belongs to ${owner.long}`, `${owner.long}: ${owner.help}.`);
  }
}

function addFlag(command: Command, flag: FlagShape) {
  const { attribute, long, value, help, choices, preset, list } = flag;
  const option = new Option(value === undefined ? long : `${long} ${value}`, help);
  if (choices !== undefined) option.choices(choices);
  if (list !== undefined) option.argParser(list === 'commas' ? collect : append);
  if (preset !== undefined) option.default(preset);
  option.helpGroup(flag.required ? required : `${flag.group ?? 'Options'}:`);
  if (value !== undefined && list === undefined) {
    // Called before the listener of commander, which silently takes the last value.
    command.on(`option:${long.slice(2)}`, () => {
      if (command.getOptionValueSource(attribute) !== 'cli') return;
      throw new UsageError(`${long} is given twice, and it takes one value`);
    });
  }
  command.addOption(option);
}

/** Required arguments are checked here, because `--print-config` needs none. */
function toArgument({ value = '', help, choices, preset }: FlagShape) {
  const argument = new Argument(value.replace(/^<(.*)>$/, '[$1]'), help);
  if (choices !== undefined) argument.choices(choices);
  return preset === undefined ? argument : argument.default(preset);
}

/** Collects the values of flags that may be given several times or as a list with commas. */
function collect(value: string, previous: readonly string[] = []) {
  const parts = value.split(',').filter((part) => part !== '');
  // A variable that is not set in a script must not mean all.
  if (parts.length === 0) throw new InvalidArgumentError('It is empty.');
  return [...previous, ...parts];
}

/** Collects paths, which are given several times, or several after one flag. A comma is part of a path. */
function append(value: string, previous: readonly string[] = []) {
  return [...previous, value];
}
