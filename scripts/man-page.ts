/** Makes the man page from the same tree of commands as the help and the completion scripts. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { declareProgram, declareVerb } from '../src/cli/program.ts';
import { describeVerb, eachVerb, fullName, type VerbShape } from '../src/cli/shape.ts';
import { tree } from '../src/cli/verbs/index.ts';
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
  const program = describeVerb(tree);
  const { description } = program.row;
  return [
    `.TH IDPORT 1 "" ${quoted(`idport ${version}`)} "User Commands"`,
    '.SH NAME',
    text(`idport - ${lowerFirst(description).replace(/\.$/, '')}`),
    '.SH SYNOPSIS',
    `.B idport\n${text('<command> [options]')}`,
    '.SH DESCRIPTION',
    text(description),
    text('Results are written to files or standard output, messages to standard error.'),
    '.SH OPTIONS',
    'Every command has these.',
    ...optionsOf(declareProgram(program, version)),
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
function commandsOf(program: VerbShape): string[] {
  const sections = new Map<string, VerbShape[]>();
  for (const verb of eachVerb(program).filter(({ verbs }) => verbs.length === 0)) {
    const flags = flagsOf(verb).join('\n');
    const key = flags === '' ? fullName(verb) : flags;
    sections.set(key, [...(sections.get(key) ?? []), verb]);
  }
  return [...sections.values()].flatMap((verbs) => [
    ...verbs.flatMap((verb) => [`.SS ${quoted(usageOf(verb))}`, text(verb.row.description)]),
    ...flagsOf(verbs[0]!),
  ]);
}

const usageOf = (verb: VerbShape): string =>
  `${fullName(verb)} ${declareVerb(new Command(verb.name), [verb], 'every').usage()}`;

const flagsOf = (verb: VerbShape): string[] =>
  optionsOf(declareVerb(new Command(verb.name), [verb], 'every'), '--help');

function optionsOf(command: Command, leftOut = ''): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== leftOut)
    .map((option) => item(help.optionTerm(option), help.optionDescription(option)));
}

const item = (term: string, description: string): string => `.TP\n.B ${escaped(term)}\n${text(description)}`;

const lowerFirst = (line: string): string => line.charAt(0).toLowerCase() + line.slice(1);

/** Escapes a text. A line that begins with a dot or an apostrophe would be a request. */
const text = (line: string): string => escaped(line).replaceAll(/^(?=[.'])/gm, '\\&');

const quoted = (line: string): string => `"${escaped(line).replaceAll('"', '\\(dq')}"`;

const escaped = (line: string): string => line.replaceAll('\\', '\\e').replaceAll('-', '\\-');
