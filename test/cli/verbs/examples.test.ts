import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { idportCommandsIn } from '../../support/shell.ts';
import { allVerbs } from '../../support/tree.ts';

/** The help of a verb as a user gets it. */
async function helpOf(argv: readonly string[]) {
  let help = '';
  const program = createProgram('0.0.0', { out: (text) => void (help += text), err: () => {} });
  await program.parse([...argv, '--help']).catch(() => {});
  return help;
}

function examplesIn(help: string) {
  const [, after = ''] = help.split('\nExamples:\n');
  return after
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const all = ['', ...allVerbs().map(({ name }) => name)];

describe.each(all)('idport %s --help', (name) => {
  it('has at least two examples that parse', async () => {
    const examples = examplesIn(await helpOf(name.split(' ').filter(Boolean)));
    expect(new Set(examples).size).toBeGreaterThanOrEqual(2);
    for (const example of examples) {
      const [argv = []] = idportCommandsIn(example);
      await expect(createProgram('0.0.0').parse(argv)).resolves.toHaveProperty('load');
    }
  });
});
