/** Builds the commander tree: all verbs, and the flags that every verb has. */
import { type Command, Option } from 'commander';
import { withFittingAdvice, withGivenFlags } from './advice.ts';
import { IdportCommand } from './command.ts';
import { helpLayout } from './help.ts';
import type { Dispatch } from './verb.ts';
import { createSettings, type Surroundings } from './config/settings.ts';
import type { Action } from '../commands/context.ts';
import type { RunVerb } from '../commands/demo-steps.ts';
import type { Program } from '../commands/record-run.ts';
import { ExitCode } from '../errors.ts';
import { typedLine } from './typed-line.ts';
import { declareDemo } from './verbs/demo.ts';
import { verbs } from './verbs/index.ts';

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
): Command {
  const settings = surroundings === undefined ? undefined : createSettings(surroundings);
  const program = new IdportCommand('idport');
  if (settings !== undefined) program.afterOptions = settings.add;
  let running: Command = program;
  program
    .description(
      'Migrates users from Keycloak, Auth0 and many other systems into a ZITADEL-compatible service, and accounts for every one.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb...]', 'print the help of a verb')
    .showSuggestionAfterError(false)
    .configureHelp(helpLayout)
    .exitOverride()
    .configureOutput({ writeOut: write.out, writeErr: write.err })
    .examples(
      'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
      'idport check importBody.json --target-profile=hosted',
      'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token',
    );
  program.addOption(new Option('--json', 'write events as NDJSON to standard error').conflicts('quiet'));
  program.option('--quiet', 'print problems only');
  program.option('--no-color', 'no colors (NO_COLOR and FORCE_COLOR work too)');
  program
    .option('--config <file>', 'configuration file (default: idport.config.json, if it exists)')
    .option('--no-config', 'ignore the configuration file')
    .option('--print-config', 'print all settings and where each comes from, as JSON; do nothing else')
    .hook('preSubcommand', () => settings?.load(program))
    .hook('preAction', (_, command) => {
      running = command;
    });
  const around: Dispatch = (load, options) =>
    dispatch(async () => {
      const action = await (settings === undefined ? load() : settings.around(load, running));
      const advised = withFittingAdvice(
        withGivenFlags(action, () => running),
        () => running,
      );
      const hasReport = running.options.some(({ long }) => long === '--report');
      return hasReport ? withReport(advised, () => ({ version, command: typedLine(running) })) : advised;
    }, options);
  const run: RunVerb = async (argv, context) => {
    let exitCode: ExitCode = ExitCode.done;
    const runInside: Dispatch = async (load, options) => {
      exitCode = await (await load())(options, context);
    };
    await createProgram(version, runInside, write).parseAsync(argv, { from: 'user' });
    return exitCode;
  };
  for (const [name, declare] of Object.entries({ demo: declareDemo(run), ...verbs })) {
    program.declareLater(name, () => declare(program, around));
  }
  return program;
}

/** The same command; its run is recorded where someone reads of it, and what records it is loaded only then. */
function withReport<Options>(action: Action<Options>, program: () => Program): Action<Options> {
  return async (options, context) => {
    const { report } = options as { readonly report?: string };
    if (report === undefined && context.env['GITHUB_STEP_SUMMARY'] === undefined)
      return action(options, context);
    const { withRecord } = await import('../commands/record-run.ts');
    return withRecord(action, program(), report)(options, context);
  };
}
