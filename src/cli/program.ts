/** Builds the commander tree: all verbs, and the flags that every verb has. */
import type { Command } from 'commander';
import type { Action } from '../commands/context.ts';
import type { RunVerb } from '../commands/demo-steps.ts';
import type { Program } from '../commands/record-run.ts';
import { ExitCode, IdportError } from '../errors.ts';
import type { Emit } from '../events.ts';
import { createOutputs } from '../storage/open-output.ts';
import { fitAdvice } from './advice.ts';
import { IdportCommand } from './command.ts';
import { createSettings, type Surroundings } from './config/settings.ts';
import { declareVerb } from './declare.ts';
import { filesRead } from './files-read.ts';
import { helpLayout } from './help.ts';
import { describeVerb, pathTo, type VerbShape } from './shape.ts';
import { typedLine } from './typed-line.ts';
import { type Declared, type Dispatch, pathOf, type Raw, rootOf, type Run } from './verb.ts';
import { tree } from './verbs/index.ts';

/** Flags that every verb understands. */
export interface GlobalOptions {
  json?: boolean;
  quiet?: boolean;
  /** False after `--no-color`, else true. */
  color?: boolean;
}

/** Builds the tree; wrong usage is thrown as `UsageError`, the texts of the help go through `write`. Without
 * `surroundings` no configuration file is looked for. */
export function createProgram(
  version: string,
  dispatch: Dispatch,
  write: { out: (text: string) => void; err: (text: string) => void },
  surroundings?: Surroundings,
): IdportCommand {
  const shape = describeVerb(tree);
  const settings = surroundings === undefined ? undefined : createSettings(surroundings, shape);
  const program = new IdportCommand('idport');
  if (settings !== undefined) program.afterOptions = settings.add;
  program.expand = async (argv) => {
    if (!argv.includes('migrate') || argv.includes('help')) return argv;
    const { withNamedFlags } = await import('../commands/init-exports.ts');
    return withNamedFlags(argv, { cwd: surroundings?.cwd ?? process.cwd() });
  };
  let running: Command = program;
  program
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help; --help=all shows all flags')
    .helpCommand('help [verb...]', 'print the help of a verb')
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
      const known = withCall(action, running, pathTo(shape, pathOf(running)));
      return withReport(known, running, { version, command: typedLine(running) });
    }, options);
  const run: RunVerb = async (argv, context) => {
    let exitCode: ExitCode = ExitCode.done;
    const runInside: Dispatch = async (load, options) => {
      exitCode = await (await load())(options, context);
    };
    await createProgram(version, runInside, write).parseAsync(argv, { from: 'user' });
    return exitCode;
  };
  declareVerb(program, tree, around, run);
  program.options.find(({ long }) => long === '--json')?.conflicts('quiet');
  program.option('--no-config', 'ignore the configuration file');
  return program;
}

/** The same command; it knows how it was called, its errors advise only what its verb can do, and what it opened is closed. */
function withCall(action: Action<Raw>, command: Command, path: readonly VerbShape[]): Run {
  const given = command.options.flatMap((option) => {
    const source = command.getOptionValueSource(option.attributeName());
    return option.long === undefined || source === undefined || source === 'default' ? [] : [option.long];
  });
  const typed = typedLine(command);
  const { json = false } = rootOf(command).opts<GlobalOptions>();
  return async (options, context) => {
    const emit: Emit = (event) =>
      context.emit(event.type === 'run:start' ? { ...event, flags: given } : event);
    const outputs = createOutputs({ ...context, inUse: filesRead(command, path, context.env) });
    const opened: (() => unknown)[] = [() => outputs.close()];
    const onEnd = (close: () => unknown): void => void opened.push(close);
    try {
      return await action(options, { ...context, emit, given, typed, json, outputs, onEnd });
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined) error.hint = fitAdvice(error.hint, path);
      throw error;
    } finally {
      for (const close of opened.toReversed()) await close();
    }
  };
}

/** The same command; its run is recorded where someone reads of it, and what records it is loaded only then. */
function withReport(action: Run, command: Command, program: Program): Run {
  if (!command.options.some(({ long }) => long === '--report')) return action;
  return async (options, context) => {
    const report = options['report'] as string | undefined;
    if (report === undefined && context.env['GITHUB_STEP_SUMMARY'] === undefined)
      return action(options, context);
    const { withRecord } = await import('../commands/record-run.ts');
    const line = { ...program, flags: options, report };
    return withRecord((own) => action(options, own), line, context);
  };
}
