/** The help of a verb: required flags first, the common ones in groups; `--help=all` shows the others too. */
import { flagsOfOthers } from '../flags/source.ts';
import type { Group } from '../lib/flag.ts';
import type { ExportName } from '../sources/providers.ts';
import { lineWidth, wrap } from '../terminal/text.ts';
import { type Line, verbOf } from './line.ts';
import { type FlagShape, fullName, type VerbShape } from './shape.ts';

type Shown = Pick<FlagShape, 'long' | 'help'> & Partial<FlagShape>;

const helpFlag: Shown = { long: '--help', help: 'print help; --help=all shows all flags' };
const shorts: Readonly<Record<string, string>> = { '--help': '-h, ', '--version': '-V, ' };

/** What a line that asks is answered. */
export function answerTo(line: Line, version: string, columns?: number): string {
  if (line.asks === 'version') return `${version}\n`;
  const verb = verbOf(line);
  const { notes = '', examples } = verb;
  const shown = examples.map((example) => `  ${example}\n`).join('');
  return `${formatHelp(line, lineWidth(columns))}${notes}\nExamples:\n${shown}\n`;
}

function formatHelp(line: Line, width: number): string {
  const [program] = line.path;
  const verb = verbOf(line);
  const kind = kindOf(verb, line.given.get('from')?.value as ExportName | undefined);
  const visible = verb.flags.filter(({ hidden = false }) => !hidden);
  const isShown = (flag: FlagShape): boolean =>
    line.asks === 'all' || verb.common === undefined
      ? kind(flag) === 'own'
      : flag.required === true || verb.common.includes(flag.attribute);
  const flags: readonly Shown[] = [...visible.filter(isShown), helpFlag];
  const below = verb.verbs.length === 0 ? [] : [...verb.verbs, { name: 'help', description: helpOfVerb }];
  const sections: [title: string, rows: [term: string, text: string][]][] = [
    ['Arguments', verb.arguments.map((one) => [one.placeholder, meaningOf(one)])],
    ...groups.map((group): (typeof sections)[number] => [
      group,
      flags.filter((flag) => groupOf(flag) === group).map(toRow),
    ]),
    ['Global Options', verb === program ? [] : program!.flags.map(toRow)],
    ['Commands', below.map(({ name, description }) => [name.split(' ').at(-1)!, description])],
  ];
  const column = Math.max(...sections.flatMap(([, rows]) => rows.map(([term]) => term.length)));
  const lines = sections.flatMap(([title, rows]) =>
    rows.length === 0
      ? []
      : [`${title}:`, ...rows.flatMap(([term, text]) => wrap(text, width, `  ${term.padEnd(column)}  `)), ''],
  );
  const hidden = visible.filter((flag) => !isShown(flag)).map(kind);
  const more = hidden.filter((one) => one === 'own').length;
  const later = hidden.includes('later');
  const rest = [
    ...(more > 0 ? [`${more} more flags: ${fullName(verb)} --help=all`] : []),
    ...(later ? [`Flags of a conversion on the fly: ${fullName(verb)} --from=<provider> --help=all`] : []),
  ];
  const head = [`Usage: ${fullName(verb)} ${usageOf(verb)}`, '', ...wrap(verb.description, width), ''];
  return [...head, ...lines, ...rest.map((text) => `${text}\n`)].join('\n');
}

const helpOfVerb = 'print the help of a verb';

/** `--org <id> [options] <body>` */
export function usageOf(verb: VerbShape): string {
  const required = verb.flags.filter((flag) => flag.required === true).map(termOf);
  const words = verb.arguments.map(({ value = '' }) => value);
  const command = verb.verbs.length > 0 ? ['[command]'] : [];
  return [...required, '[options]', ...command, ...words].join(' ');
}

/** All that a verb has, in the order of the help. */
export function listFlags(verb: VerbShape): readonly Shown[] {
  const own: readonly Shown[] = verb.flags.filter(({ hidden = false }) => !hidden);
  const all = verb.name === '' ? [...own, helpFlag] : own;
  return groups.flatMap((group) => all.filter((flag) => groupOf(flag) === group));
}

const groups: readonly (Group | 'Required')[] = [
  'Required',
  'Input',
  'What is written',
  'Target',
  'Report',
  'Output',
  'Options',
];

const groupOf = ({ required, group = 'Options' }: Shown): (typeof groups)[number] =>
  required === true ? 'Required' : group;

const toRow = (flag: Shown): [string, string] => [termOf(flag), meaningOf(flag)];

export function termOf({ long, value = '' }: Shown): string {
  return `${shorts[long] ?? ''}${long} ${value}`.trimEnd();
}

export function meaningOf({ help, choices = [], preset }: Shown): string {
  if (choices.length >= 10) return help;
  const more = [
    ...(choices.length === 0 ? [] : [`choices: ${choices.map((one) => JSON.stringify(one)).join(', ')}`]),
    ...(preset === undefined ? [] : [`default: ${JSON.stringify(preset)}`]),
  ];
  return more.length === 0 ? help : `${help} (${more.join(', ')})`;
}

/** `later` are those of a conversion, as long as it is not said that there is one; `foreign` those of other sources. */
function kindOf(
  verb: VerbShape,
  from: ExportName | undefined,
): (flag: FlagShape) => 'own' | 'later' | 'foreign' {
  const takesBody = verb.arguments[0]?.attribute === 'body';
  if (from === undefined) return ({ converts }) => (takesBody && converts === true ? 'later' : 'own');
  const foreign = flagsOfOthers(from);
  return ({ attribute }) => (foreign.has(attribute) ? 'foreign' : 'own');
}
