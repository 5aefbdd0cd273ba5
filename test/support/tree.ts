/** The commander tree for tests: all verbs, and what a command line is parsed to or refused with. */
import { Command } from 'commander';
import { expect } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createProgram, declareVerb } from '../../src/cli/program.ts';
import { describeVerb, eachVerb, type VerbShape } from '../../src/cli/shape.ts';
import { tree } from '../../src/cli/verbs/index.ts';

export interface VerbInTree {
  /** `migrate keycloak` */
  readonly name: string;
  readonly verb: VerbShape;
  readonly command: Command;
}

/** Every verb and sub-verb, parents before their children; not the program itself. */
export function allVerbs(): VerbInTree[] {
  return eachVerb(shapeOfProgram())
    .slice(1)
    .map((verb) => ({
      name: verb.name,
      verb,
      command: declareVerb(new Command(verb.name), [verb], 'every'),
    }));
}

export function shapeOfProgram() {
  return describeVerb(tree);
}

/** What a command line is refused with; nothing runs. */
export async function refusalOf(line: string) {
  const end = await createProgram('0.0.0')
    .parse(line.split(' '))
    .catch((error: unknown) => error);
  expect(end).toBeInstanceOf(UsageError);
  return end as UsageError;
}

/** The flags of a command line; nothing runs. */
export async function parseFlags(argv: readonly string[]) {
  return (await createProgram('0.0.0').parse(argv)).options;
}
