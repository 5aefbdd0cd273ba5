import { describe, expect, it } from 'vitest';
import { verbOf } from '../../../src/cli/line.ts';
import { readLine } from '../../../src/cli/program.ts';
import { eachVerb } from '../../../src/cli/shape.ts';
import { idportCommandsIn } from '../../support/shell.ts';
import { shapeOfProgram } from '../../support/tree.ts';

describe.each(eachVerb(shapeOfProgram()))('idport $name', ({ examples }) => {
  it('has two examples or more, each of which the program would run', async () => {
    expect(new Set(examples).size).toBeGreaterThanOrEqual(2);
    for (const example of examples) {
      const [argv = []] = idportCommandsIn(example);
      const line = await readLine(argv);
      expect({ example, problem: line.problem, asks: line.asks }).toEqual({ example });
      expect(verbOf(line).load).toBeDefined();
    }
  });
});
