/** Makes the man page from the same tree of commands as the help and the completion scripts. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { fullName, type IdportCommand } from '../src/cli/command.ts';
import { createProgram } from '../src/cli/program.ts';
import { ExitCode } from '../src/errors.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const exitCodes: Readonly<Record<keyof typeof ExitCode, string>> = {
  done: 'Done.',
  failed: 'The run failed. The message on standard error says what happened and what to do.',
  usage: 'Wrong usage: an unknown flag or an invalid value.',
  rejected: 'Finished, but some records were rejected or failed; all others are written.',
  differs: 'A check or a comparison found differences, or a limit was exceeded.',
  notYet: 'Not known yet: run the same command again later, or with a longer --wait.',
  interrupted: 'Interrupted by Ctrl-C, SIGTERM or SIGHUP.',
};

const environment: readonly (readonly [string, string])[] = [
  ['IDPORT_URL, IDPORT_TOKEN', 'The service and its access token, in place of --url and --token-file.'],
  ['NO_COLOR, FORCE_COLOR', 'Without or with colors.'],
];

export function formatManPage(): string {
  const program = createProgram(version, async () => {});
  program.shows = 'every';
  return [
    `.TH IDPORT 1 "" ${quoted(`idport ${version}`)} "User Commands"`,
    '.SH NAME',
    text(`idport - ${lowerFirst(program.description()).replace(/\.$/, '')}`),
    '.SH SYNOPSIS',
    `.B idport\n${text('<command> [options]')}`,
    '.SH DESCRIPTION',
    text(program.description()),
    text('Results are written to files or standard output, messages to standard error.'),
    '.SH OPTIONS',
    'Every command has these.',
    ...optionsOf(program),
    '.SH COMMANDS',
    ...commandsOf(program),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).map(([name, meaning]) =>
      item(String(ExitCode[name as keyof typeof ExitCode]), meaning),
    ),
    '.SH ENVIRONMENT',
    ...environment.map(([names, meaning]) => item(names, meaning)),
    '.SH FILES',
    item('idport.config.json', 'Flags of repeated runs; --config names another file.'),
    '',
  ].join('\n');
}

/** Returns a section for each command that runs. Commands with the same flags, such as most sources, share one. */
function commandsOf(program: IdportCommand): string[] {
  const sections = new Map<string, Command[]>();
  for (const command of eachCommand(program)) {
    const flags = optionsOf(command).join('\n');
    const key = flags === '' ? fullName(command) : flags;
    sections.set(key, [...(sections.get(key) ?? []), command]);
  }
  return [...sections.values()].flatMap((commands) => [
    ...commands.flatMap((command) => [`.SS ${quoted(usageOf(command))}`, text(command.description())]),
    ...optionsOf(commands[0]!),
  ]);
}

function eachCommand(command: IdportCommand): Command[] {
  return command.children.flatMap((child) => (child.children.length > 0 ? eachCommand(child) : [child]));
}

const usageOf = (command: Command): string => `${fullName(command)} ${command.usage()}`;

function optionsOf(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help' || command.parent === null)
    .map((option) => item(help.optionTerm(option), help.optionDescription(option)));
}

const item = (term: string, description: string): string => `.TP\n.B ${escaped(term)}\n${text(description)}`;

const lowerFirst = (line: string): string => line.charAt(0).toLowerCase() + line.slice(1);

/** Escapes a text. A line that begins with a dot or an apostrophe would be a request. */
const text = (line: string): string => escaped(line).replaceAll(/^(?=[.'])/gm, '\\&');

const quoted = (line: string): string => `"${escaped(line).replaceAll('"', '\\(dq')}"`;

const escaped = (line: string): string => line.replaceAll('\\', '\\e').replaceAll('-', '\\-');
