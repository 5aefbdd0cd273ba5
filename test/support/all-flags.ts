/** Every long flag of every verb; `--no-x` counts as `--x`. And the flags that a text names. */
import { eachVerb } from '../../src/cli/shape.ts';
import { shapeOfProgram } from './tree.ts';

export function allFlags(): Set<string> {
  const flags = eachVerb(shapeOfProgram()).flatMap((verb) => verb.flags);
  return new Set(flags.map(({ long }) => long.replace(/^--no-/, '--')));
}

export function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([flag]) => flag.replace(/^--no-/, '--'));
}
