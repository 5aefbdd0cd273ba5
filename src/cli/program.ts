/** Builds the commander tree from the tree of verbs, with the flags that every verb has. */
import { type Command, Argument, InvalidArgumentError, Option } from 'commander';
import type { CommandOf, ProcessContext, RunVerb } from '../commands/context.ts';
import type { Program } from '../commands/record-run.ts';
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { programFlags } from '../flags/others.ts';
import { readReportPath, type Values, type Flag, longName, readFlags, type Table } from '../lib/flag.ts';
import { keepSentences, namedFlags } from '../lib/strings.ts';
import { createOutputs, type NamedFile } from '../storage/file-sink.ts';
import { IdportCommand, examples } from './command.ts';
import { createSettings, type Surroundings } from './config/settings.ts';
import { helpLayout, kindOf } from './help.ts';
import { describeVerb, eachVerb, isSet, pathStart, pathTo, type VerbShape, typedLine } from './shape.ts';
import { type Declared, type Dispatch, pathOf, type Raw, rootOf, type Run, type Verb } from './verb.ts';
import { tree } from './verbs/index.ts';

/** Flags that every verb understands. */
export type GlobalOptions = Partial<Values<typeof programFlags>>;

/**
 * Throws `UsageError` for wrong usage. Without `write`, neither help nor the version is printed. Without `surroundings`,
 * no configuration file is read.
 */
export function createProgram(
  version: string,
  dispatch: Dispatch,
  write: { out: (text: string) => void; err: (text: string) => void } = { out() {}, err() {} },
  surroundings?: Surroundings,
): IdportCommand {
  const shape = describeVerb(tree);
  const settings = surroundings && createSettings(surroundings, shape);
  const program = new IdportCommand('idport');
  if (settings !== undefined) program.afterOptions = settings.add;
  program.expand = async (argv) => {
    if (!argv.includes('migrate') || argv.includes('help')) return argv;
    const { expandMigrate } = await import('./short-migrate.ts');
    return expandMigrate(argv, { cwd: surroundings?.cwd ?? process.cwd() });
  };
  let running: Command = program;
  program
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help; --help=all shows all flags')
    .showSuggestionAfterError(false)
    .configureHelp(helpLayout)
    .exitOverride()
    .configureOutput({ writeOut: write.out, writeErr: write.err })
    .hook('preSubcommand', () => settings?.load(program))
    .hook('preAction', (_, command) => {
      running = command;
    });
  const around: Declared = (load, options) =>
    dispatch(async () => {
      const action = await (settings === undefined ? load() : settings.around(load, running));
      const names = pathOf(running);
      const typed = typedLine(running);
      const known = withCall(action, running, { typed, path: pathTo(shape, names), config: settings?.file });
      return withReport(known, running, { version, verb: names.join(' '), command: typed });
    }, options);
  declareVerb(program, tree, around, (argv, context) => runLine(version, argv, context));
  program.options.find(({ long }) => long === '--json')?.conflicts('quiet');
  program.option('--no-config', 'ignore the configuration file');
  return program;
}

/** Runs a command line of the library, or of a verb that runs others. No configuration file is read. */
export async function runLine(version: string, argv: readonly string[], context: ProcessContext) {
  let exitCode: ExitCode = ExitCode.done;
  const dispatch: Dispatch = async (load, options) => {
    exitCode = await (await load())(options, context);
  };
  const program = createProgram(version, dispatch);
  await program.parseAsync(argv, { from: 'user' });
  return exitCode;
}

interface Call {
  readonly typed: string;
  /** The program, then its verbs down to the one that runs. */
  readonly path: readonly VerbShape[];
  /** Name of the configuration file. */
  readonly config: string | undefined;
}

/** Adds to the context how the command was called, fits the hints of its errors to its verb, and closes what it opened. */
function withCall(action: CommandOf<Raw>, command: Command, call: Call): Run {
  const { typed, path } = call;
  const given = command.options.flatMap((option) => {
    const source = command.getOptionValueSource(option.attributeName());
    return option.long === undefined || source === undefined || source === 'default' ? [] : [option.long];
  });
  const { json = false } = rootOf(command).opts<GlobalOptions>();
  return async (options, context) => {
    const emit: Emit = (event) =>
      context.emit(event.type === 'run:start' ? { ...event, flags: given, command: typed } : event);
    const outputs = createOutputs({ ...context, inUse: filesRead(command, path, context.env) });
    const opened: (() => unknown)[] = [() => outputs.close()];
    const addFacts = (facts: object) => void Object.assign(context.record ?? {}, facts);
    const onEnd = (close: () => unknown) => void opened.push(close);
    try {
      const own = { ...context, emit, given, typed, json, outputs, addFacts, onEnd };
      return (await action(options, own)) ?? ExitCode.done;
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined) error.hint = fitAdvice(error.hint, path);
      if (error instanceof UsageError) error.message = withOrigin(error.message, command, call, context.env);
      throw error;
    } finally {
      for (const close of opened.toReversed()) await close();
    }
  };
}

/** Adds where a value comes from that was not typed: `--url (in idport.config.json) is not an address`. */
function withOrigin(text: string, command: Command, { path, config }: Call, env: ProcessContext['env']) {
  const [long = '', name = ''] = /^--([a-z-]+)/.exec(text) ?? [];
  const flag = path.at(-1)?.flags.find((one) => one.name === name);
  const source = flag && command.getOptionValueSource(flag.attribute);
  if (flag === undefined || source === 'cli') return text;
  const variable = isSet(flag, env) ? flag.variable : undefined;
  const origin = source === 'config' ? config : variable;
  return origin === undefined ? text : text.replace(long, () => `${long} (in ${origin})`);
}

/** Records the run for a report or the summary of a step. Loads what that needs only then. */
function withReport(action: Run, command: Command, program: Program): Run {
  if (!command.options.some(({ long }) => long === '--report')) return action;
  return async (options, context) => {
    // Printing a mapping or the settings is not a run, so the report of the previous run stays.
    const { printConfig } = rootOf(command).opts<GlobalOptions>();
    const isRun = printConfig !== true && options['printMap'] !== true;
    const report = isRun ? (options['report'] as string | undefined) : undefined;
    if (report !== undefined) readReportPath('--report', report);
    else if (context.env['GITHUB_STEP_SUMMARY'] === undefined) return action(options, context);
    const { withRecord } = await import('../commands/record-run.ts');
    const line = { ...program, flags: options, report };
    return withRecord((own) => action(options, own), line, context);
  };
}

/** Returns the files that a command reads, by flags, configuration or environment. Its outputs may not replace them. */
function filesRead(
  command: Command,
  [program, ...path]: readonly VerbShape[],
  env: ProcessContext['env'],
): readonly NamedFile[] {
  const own = path.at(-1)?.flags.map((flag) => ({ ...flag, owner: command })) ?? [];
  const all = program?.flags.map((flag) => ({ ...flag, owner: rootOf(command) })) ?? [];
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
const quotedCommand = /`idport [^`]*`/g;

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

function namesOf(verbs: readonly VerbShape[]): ReadonlySet<string> {
  return new Set(
    verbs.flatMap(({ flags }) => flags.flatMap(({ long, variable }) => [long, variable ?? long])),
  );
}

/** Adds a verb and the verbs below it to a command. */
function declareVerb(command: IdportCommand, verb: Verb, dispatch: Declared, run: RunVerb) {
  const { args = {}, flags, load, notes = '' } = verb;
  command.description(verb.description).addHelpText('after', `${notes}${examples(...verb.examples)}`);
  command.verb = verb;
  for (const flag of Object.values(args)) command.addArgument(toArgument(flag));
  for (const [name, flag] of Object.entries(flags)) addFlag(command, name, flag);
  for (const [name, below] of Object.entries(verb.verbs ?? {})) {
    const heading = verb.headings?.[name];
    if (heading !== undefined) command.commandsGroup(heading);
    const child = command.command(name);
    // All flags of all verbs would take longer than most runs.
    child.declareRest = () => declareVerb(child, below(), dispatch, run);
  }
  if (load === undefined) {
    // Last, so that it is under the last heading.
    command.helpCommand('help [verb...]', 'print the help of a command');
    return;
  }
  command.action((...given: unknown[]) => {
    const words: Raw = Object.fromEntries(
      Object.keys(args).map((name, at) => [name, given[at] ?? command.getOptionValue(name)]),
    );
    refuseTwice(command, words);
    refuseUnread(command, words['body'] !== undefined);
    refuseAlone(command, flags);
    return dispatch(
      async () => {
        const action = await load(run);
        const table = { ...args, ...flags };
        return (raw, context) => action(readFlags(table, raw) as never, context);
      },
      { ...command.opts<Raw>(), ...words },
    );
  });
}

/** Throws `UsageError` for a value that is typed as a flag and as an argument. */
function refuseTwice(command: Command, words: Raw) {
  for (const [name, value] of Object.entries(words))
    if (command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) !== value)
      throw new UsageError(`the ${name} is given twice, as --${name} and as an argument`);
}

/** Throws `UsageError` if a typed flag would be ignored, because it belongs to a conversion or to another source. */
function refuseUnread(command: IdportCommand, hasBody: boolean) {
  const from = command.getOptionValue('from') as string | undefined;
  if (from === undefined && !hasBody) return;
  const kind = kindOf(command);
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
function refuseAlone(command: IdportCommand, flags: Table) {
  for (const [name, flag] of Object.entries(flags)) {
    const { belongsTo = '' } = flag;
    const owner = flags[belongsTo];
    if (owner === undefined || command.getOptionValueSource(name) !== 'cli') continue;
    if (command.getOptionValue(belongsTo) || command.getOptionValue(name) === flag.preset) continue;
    const long = longName(belongsTo, owner);
    throw new UsageError(`${longName(name, flag)} belongs to ${long}`, `${long}: ${owner.help}.`);
  }
}

function addFlag(command: Command, name: string, flag: Flag) {
  const long = longName(name, flag);
  const event = `option:${long.slice(2)}`;
  if (flag.value !== undefined && flag.list === undefined) {
    // Called before the listener of commander, which silently takes the last value.
    command.on(event, () => {
      if (command.getOptionValueSource(name) !== 'cli') return;
      throw new UsageError(`${long} is given twice, and it takes one value`);
    });
  }
  command.addOption(toOption(name, flag));
  if (flag.alone !== true) return;
  command.on(event, () => {
    for (const option of command.options) option.mandatory = false;
  });
}

function toOption(name: string, flag: Flag) {
  const { value, help, choices, preset, list } = flag;
  const option = new Option([longName(name, flag), value ?? []].flat().join(' '), help);
  if (choices !== undefined) option.choices(choices);
  if (list !== undefined) option.argParser(list === 'commas' ? collect : append);
  if (preset !== undefined) option.default(preset);
  if (flag.required === true) option.makeOptionMandatory();
  return option.helpGroup(`${flag.group ?? 'Options'}:`);
}

function toArgument({ value = '', help, choices, preset }: Flag) {
  const argument = new Argument(value, help);
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
