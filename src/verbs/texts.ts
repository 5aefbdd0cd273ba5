/** What the help texts of several verbs have in common. */
import { Option } from 'commander';

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

export function formatOption(): Option {
  return new Option('--format <form>', 'form of the standard output')
    .choices(['text', 'json'])
    .default('text');
}
