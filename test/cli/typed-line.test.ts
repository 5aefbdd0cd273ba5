import { expect, test } from 'vitest';
import { readLine } from '../../src/cli/program.ts';
import { typedLine } from '../../src/cli/typed-line.ts';

test.each([
  [
    ['import-users', "it's.json", '--resume', '--org', '1', '--rate-store=redis://:pw@h'],
    `idport import-users 'it'\\''s.json' --org 1 --rate-store 'redis://***@h' --resume`,
  ],
  [
    ['verify', '--config', 'night 1.json', '--no-export', '--json'],
    `idport verify --no-export --config 'night 1.json'`,
  ],
  [
    ['password', 'verify', '--body=b', '--user=a', '--password=x'],
    'idport password verify --body b --user a --password -',
  ],
])('%j is told as it was typed, without defaults and secrets', async (argv, told) => {
  expect(typedLine(await readLine(argv))).toBe(told);
});
