/** The tree of verbs as tests look at it. */
import { expect } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { programShape, readLine } from '../../src/cli/program.ts';
import { eachVerb, type VerbShape } from '../../src/cli/shape.ts';

export { programShape as shapeOfProgram };

/** Every verb and sub-verb, parents before their children; not the program itself. */
export const allVerbs = (): VerbShape[] => eachVerb(programShape()).slice(1);

/** What a command line is refused with; nothing runs. */
export async function refusalOf(line: string): Promise<UsageError> {
  const { problem, asks } = await readLine(line.split(' '));
  expect({ problem, asks }).toEqual({ problem: expect.any(UsageError), asks: undefined });
  return problem as UsageError;
}
