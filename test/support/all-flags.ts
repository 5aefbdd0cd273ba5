/** Every long flag of every verb; `--no-x` counts as `--x`. And the flags that a text names. */
import { createProgram } from '../../src/cli/program.ts';

export function allFlags(): Set<string> {
  const program = createProgram('0.0.0', async () => {}, { out: () => {}, err: () => {} });
  const flags = new Set<string>();
  const gather = (command: typeof program): void => {
    for (const { long } of command.options) if (long) flags.add(long.replace(/^--no-/, '--'));
    for (const child of command.commands) gather(child);
  };
  gather(program);
  return flags;
}

export function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([flag]) => flag.replace(/^--no-/, '--'));
}
