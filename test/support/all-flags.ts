/** Every long flag of every verb; `--no-x` counts as `--x`. And the flags that a text names. */
import { createProgram } from '../../src/cli/program.ts';
import { allVerbs } from './tree.ts';

export function allFlags(): Set<string> {
  const program = createProgram('0.0.0', async () => {}, { out: () => {}, err: () => {} });
  const flags = new Set<string>();
  for (const { options } of [program, ...allVerbs(program).map(({ command }) => command)]) {
    for (const { long } of options) if (long) flags.add(long.replace(/^--no-/, '--'));
  }
  return flags;
}

export function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([flag]) => flag.replace(/^--no-/, '--'));
}
