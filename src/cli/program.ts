/** The commander tree: the verbs of verbs/ and the flags that hold for all of them. */
import { type Command, Option } from 'commander';
import { withFittingAdvice } from './advice.ts';
import { IdportCommand } from './command.ts';
import { examples, type Dispatch } from './verb.ts';
import { createSettings, type Surroundings } from './config/settings.ts';
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
      'Moves people from one identity provider into a ZITADEL-compatible service without losing anyone.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .showSuggestionAfterError(false)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText(
      'after',
      examples(
        'idport migrate keycloak --org=165617389845094785 --realm=realm.json',
        'idport check importBody.json --target-profile=hosted',
        'idport import-users importBody.json --url=https://example.zitadel.cloud --org=165617389845094785 --token-file=token',
      ),
    );
  program.addOption(new Option('--json', 'events as NDJSON on stderr, for programs').conflicts('quiet'));
  program.option('--quiet', 'problems only on stderr');
  program.option('--no-color', 'no colors (NO_COLOR and FORCE_COLOR hold as well)');
  program
    .option('--config <file>', 'settings of this run; by default idport.config.json, where there is one')
    .option('--no-config', 'take no settings from a file')
    .option('--print-config', 'print what this would run with, and from where, as JSON; and do nothing')
    .hook('preSubcommand', () => settings?.load(program))
    .hook('preAction', (_, command) => {
      running = command;
    });
  const around: Dispatch = (load, options) =>
    dispatch(async () => {
      const action = await (settings === undefined ? load() : settings.around(load, running));
      return withFittingAdvice(action, () => running);
    }, options);
  for (const declare of verbs) declare(program, around);
  settle(program, write);
  return program;
}

/** Commander copies neither of these to subcommands that were added before. */
function settle(command: Command, write: { out: (text: string) => void; err: (text: string) => void }): void {
  command.exitOverride().configureOutput({ writeOut: write.out, writeErr: write.err });
  for (const child of command.commands) settle(child, write);
}
