import { Command } from 'commander';
import { expect, test } from 'vitest';
import { typedLine } from '../../src/verbs/typed.ts';

test('tells what was typed, quoted for a shell, without defaults and without the token', () => {
  const program = new Command('idport');
  const command = program
    .command('import-users')
    .argument('[body]')
    .option('--org <id>')
    .option('--rate <n>', '', '45/s')
    .option('--token <token>')
    .option('--resume')
    .action(() => {});
  program.parse(['import-users', "it's.json", '--org', '1', '--token', 'sesame', '--resume'], {
    from: 'user',
  });
  expect(typedLine(command)).toBe(`idport import-users 'it'\\''s.json' --org 1 --token - --resume`);
});
