/** Writes docs/server-coverage.md from the coverage table of the reference server. */
import { coverage } from '../test/contract/coverage.ts';
import { differences } from '../test/contract/differences.ts';
import type { Answer, Section } from '../test/contract/entry.ts';

export function formatCoveragePage(): string {
  const lines = [
    '# What the reference server covers',
    '',
    'Every call, field, refusal and rule of the interface that the reference server imitates, by section of the wire',
    'contract (`spec` is the interface description), and what it does about each: *yes* means the same answer as the',
    'service, *differs because ...* something else on purpose, *no* that it is not there.',
    '',
    'This page is written by `npm run docs` from `test/contract/`; tests compare it with the code.',
    '',
    summary(),
    '',
    ...chapter('Calls', ['call'], coverage.calls, ({ call }) => [`\`${call}\``]),
    ...chapter('Fields', ['field'], coverage.fields, ({ field }) => [`\`${field}\``]),
    ...chapter('Refusals', ['id', 'when'], coverage.ids, ({ id, meaning }) => [`\`${id}\``, meaning]),
    ...chapter('Rules', ['rule'], coverage.rules, ({ rule }) => [rule]),
    ...recordedCalls(),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function summary(): string {
  const kinds = Object.entries(coverage).map(([name, sections]) => {
    const answers = sections.flatMap(({ entries }): Answer[] => entries.map(({ answer }) => answer));
    const count = (test: (answer: Answer) => boolean): number => answers.filter(test).length;
    const yes = count((answer) => answer === 'yes');
    const no = count((answer) => answer === 'no');
    return `| ${titles[name] ?? name} | ${yes} | ${answers.length - yes - no} | ${no} |`;
  });
  return ['| | yes | differs | no |', '|---|---|---|---|', ...kinds].join('\n');
}

const titles: Readonly<Record<string, string>> = {
  calls: 'Calls',
  fields: 'Fields',
  ids: 'Refusals',
  rules: 'Rules',
};

function chapter<Entry extends { answer: Answer }>(
  title: string,
  columns: readonly string[],
  sections: readonly Section<Entry>[],
  cells: (entry: Entry) => string[],
): string[] {
  const lines = [`## ${title}`, ''];
  for (const { section, title: name, entries } of sections) {
    lines.push(`### ${section}: ${name}`, '');
    lines.push(`| ${[...columns, 'here'].join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`);
    for (const entry of entries) lines.push(`| ${[...cells(entry), entry.answer].join(' | ')} |`);
    lines.push('');
  }
  return lines;
}

/** Where an answer of this server is not the recorded one. */
function recordedCalls(): string[] {
  return [
    '## Recorded calls',
    '',
    'More than 1,300 calls were recorded at the service, most of them in an installation with default settings and in one',
    'with all verifiers. A test plays them against this server and compares status, error id, text, headers, and the',
    'fields and values of each answer. These differ on purpose:',
    '',
    '| call | why the answer differs |',
    '|---|---|',
    ...differences.map(
      ({ calls, reason }) => `| ${calls.map((call) => `\`${call}\``).join(', ')} | ${reason} |`,
    ),
  ];
}
