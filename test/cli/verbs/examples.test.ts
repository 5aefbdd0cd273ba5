import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { idportCommandsIn } from '../../support/shell.ts';
import { allVerbs } from '../../support/tree.ts';

let help = '';
let ran = '';
const program = createProgram('0.0.0', async () => {}, { out: (text) => void (help += text), err: () => {} });
program.hook('preAction', (_, command) => {
  const names: string[] = [];
  for (let at = command; at.parent !== null; at = at.parent) names.unshift(at.name());
  ran = names.join(' ');
});

/** The help of a verb as a user gets it. */
async function helpOf(argv: readonly string[]) {
  help = '';
  await program.parseAsync([...argv, '--help'], { from: 'user' }).catch(() => {});
  return help;
}

function examplesIn(help: string) {
  const [, after = ''] = help.split('\nExamples:\n');
  return after
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** What the tree makes of the words: the names of the verb that runs. */
async function verbRun(argv: readonly string[]) {
  ran = '';
  await program.parseAsync([...argv], { from: 'user' });
  return ran;
}

const all = ['', ...allVerbs().map(({ name }) => name)];

describe.each(all)('idport %s --help', (name) => {
  it('has at least two examples that parse', async () => {
    const examples = examplesIn(await helpOf(name.split(' ').filter(Boolean)));
    expect(new Set(examples).size).toBeGreaterThanOrEqual(2);
    for (const example of examples) {
      const [argv = []] = idportCommandsIn(example);
      expect({ example, runs: await verbRun(argv) }).not.toEqual({ example, runs: '' });
    }
  });
});
