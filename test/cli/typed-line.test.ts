import { Command } from 'commander';
import { expect, test } from 'vitest';
import { typedLine } from '../../src/cli/shape.ts';

test('typedLine quotes for a shell, and leaves out defaults and secrets', () => {
  const program = new Command('idport');
  const command = program
    .command('import-users')
    .argument('[body]')
    .option('--org <id>')
    .option('--rate <n>', '', '45/s')
    .option('--token <token>')
    .option('--table <pair...>')
    .option('--rate-store <url>')
    .option('--resume')
    .action(() => {});
  const typed =
    "import-users it's.json --org 1 --token sesame --resume --rate-store redis://:pw@h --table tokens=t.csv logins=l.csv";
  program.parse(typed.split(' '), { from: 'user' });
  expect(typedLine(command)).toBe(
    `idport import-users 'it'\\''s.json' --org=1 --token=- --table=tokens=t.csv --table=logins=l.csv --rate-store='redis://***@h' --resume`,
  );
});

test('typedLine includes --config and negated flags', () => {
  const program = new Command('idport').option('--config <file>').option('--no-config').option('--json');
  const command = program
    .command('verify')
    .option('--no-export')
    .action(() => {});
  program.parse(['verify', '--config', 'night 1.json', '--no-export', '--json'], { from: 'user' });
  expect(typedLine(command)).toBe(`idport verify --no-export --config='night 1.json'`);
});
