/**
 * Writes docs/flags.md from the tree of commands: what each command does, and each flag once, with a separate table for
 * flags of several verbs.
 */
import { Command } from 'commander';
import { declareProgram, declareVerb } from '../src/cli/program.ts';
import { describeVerb, eachVerb, fullName, type VerbShape } from '../src/cli/shape.ts';
import { tree } from '../src/cli/verbs/index.ts';

/** Number of verbs from which a flag with the same text is in the first table. */
const shared = 3;

/** A flag as the help of a verb shows it. */
interface Line {
  readonly term: string;
  readonly meaning: string;
}

export function formatFlagsPage(): string {
  const program = describeVerb(tree);
  const running = eachVerb(program).filter(({ verbs: below }) => below.length === 0);
  const verbs = withCommonMigration(withSameFlags(running));
  const times = new Map<string, number>();
  for (const { lines } of verbs)
    for (const line of lines) times.set(row(line), (times.get(row(line)) ?? 0) + 1);
  const isShared = (line: Line): boolean => (times.get(row(line)) ?? 0) >= shared;
  const common = [...times].flatMap(([text, count]) => (count >= shared ? [text] : []));
  return [
    '# Commands and flags',
    '',
    '`idport <verb> --help` shows the common flags of a verb, `--help=all` all of them. This page has them all.',
    '',
    '<!-- Written by `npm run docs` from src/flags/. -->',
    '',
    '| Command | What it does |',
    '|---|---|',
    ...program.verbs.map((verb) => `| \`${fullName(verb)}\` | ${cell(verb.row.description)} |`),
    '',
    '## Every verb',
    '',
    ...table(linesOf(declareProgram(program, '')).map(row)),
    '## Several verbs',
    '',
    ...table(common.toSorted()),
    ...verbs.flatMap(({ names: [name, ...others], lines }) => {
      const own = lines.filter((line) => !isShared(line));
      const also = lines.filter(isShared).map(({ term }) => `\`${/--[\w-]+/.exec(term)?.[0] ?? term}\``);
      return [
        `## ${name}`,
        '',
        ...(others.length === 0
          ? []
          : [`And ${others.map((other) => `\`${lastWord(other)}\``).join(', ')}.`, '']),
        ...(own.length === 0 ? [] : table(own.map(row))),
        ...(also.length === 0 ? [] : [`${own.length === 0 ? 'Flags' : 'Also'}: ${also.join(', ')}.`, '']),
      ];
    }),
  ].join('\n');
}

interface Verb {
  readonly names: string[];
  readonly lines: readonly Line[];
}

/** Joins verbs with the same flags in one section, since most sources have the same. */
function withSameFlags(described: readonly VerbShape[]): Verb[] {
  const verbs = new Map<string, Verb>();
  for (const verb of described) {
    const lines = linesOf(declareVerb(new Command(verb.name), [verb], 'every')).filter(
      ({ term }) => !term.endsWith('--help'),
    );
    const key = lines.map(row).join('\n');
    const known = verbs.get(key);
    if (known === undefined || key === '')
      verbs.set(key || fullName(verb), { names: [fullName(verb)], lines });
    else known.names.push(fullName(verb));
  }
  return [...verbs.values()];
}

const migration = 'idport migrate ';

/** Lists the flags that every source has once, before those of single sources. */
function withCommonMigration(verbs: readonly Verb[]): Verb[] {
  const sources = verbs.filter(({ names: [name] }) => name?.startsWith(migration));
  const texts = sources.map(({ lines }) => new Set(lines.map(row)));
  const common = (sources[0]?.lines ?? []).filter((line) => texts.every((set) => set.has(row(line))));
  const rest = new Set(common.map(row));
  return verbs.flatMap((verb) => {
    if (!sources.includes(verb)) return verb;
    const own = { ...verb, lines: verb.lines.filter((line) => !rest.has(row(line))) };
    return verb === sources[0]
      ? [{ names: [`${migration.trimEnd()}, every source`], lines: common }, own]
      : own;
  });
}

const lastWord = (name: string): string => name.split(' ').at(-1) ?? name;

function linesOf(command: Command): Line[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .map((option) => ({ term: help.optionTerm(option), meaning: help.optionDescription(option) }));
}

const table = (rows: readonly string[]): string[] => ['| Flag | Meaning |', '|---|---|', ...rows, ''];

const row = ({ term, meaning }: Line): string => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(meaning)} |`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
