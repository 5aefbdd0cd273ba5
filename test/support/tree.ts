/** The commander tree for tests: all verbs, and what a command line is parsed to or refused with. */
import type { Command } from 'commander';
import { expect } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { IdportCommand } from '../../src/cli/command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { describeVerb } from '../../src/cli/shape.ts';
import { tree } from '../../src/cli/verbs/index.ts';
import type { Raw } from '../../src/cli/verb.ts';

export interface VerbInTree {
  /** `migrate keycloak` */
  readonly name: string;
  readonly command: Command;
}

/** Every verb and sub-verb, parents before their children; not the program itself. */
export function allVerbs(program = createTree()): VerbInTree[] {
  const collect = (command: IdportCommand, before: string): VerbInTree[] =>
    command.children.flatMap((child) => {
      const name = `${before}${child.name()}`;
      return [{ name, command: child }, ...collect(child, `${name} `)];
    });
  return collect(program, '');
}

export function createTree() {
  return createProgram('0.0.0', async () => {});
}

export function shapeOfProgram() {
  return describeVerb(tree);
}

/** What a command line is refused with; nothing runs. */
export async function refusalOf(line: string) {
  const end = await createTree()
    .parseAsync(line.split(' '), { from: 'user' })
    .catch((error: unknown) => error);
  expect(end).toBeInstanceOf(UsageError);
  return end as UsageError;
}

/** The flags of a command line; nothing runs. */
export async function parseFlags(argv: readonly string[]) {
  let found: Raw | undefined;
  const program = createProgram('0.0.0', async (_, options) => void (found = options));
  await program.parseAsync(argv, { from: 'user' });
  if (found === undefined) throw new Error(`${argv.join(' ')} runs no command`);
  return found;
}
