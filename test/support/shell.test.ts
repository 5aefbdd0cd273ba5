import { describe, expect, it } from 'vitest';
import { commandsIn, idportCommandsIn } from './shell.ts';

describe('the words of commands', () => {
  it.each<readonly [shell: string, commands: readonly (readonly string[])[]]>([
    ['a b\nc', [['a', 'b'], ['c']]],
    ['a \\\n  b', [['a', 'b']]],
    ['a "b c" d\'e f\' # no word', [['a', 'b c', 'de f']]],
    ['a b#c', [['a', 'b#c']]],
    ['X=1 Y="2 3" a b', [['a', 'b']]],
    ['export X=1', [['export', 'X=1']]],
    ['a | b && c || d; e & f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['a > out 2> err < in 2>&1 b', [['a', 'b']]],
    ['a --n=2>out', [['a', '--n=2']]],
    ['if ! a; then b; else c; fi', [['a'], ['b'], ['c'], ['fi']]],
    ['x=$(a b | c) d', [['a', 'b'], ['c'], ['d']]],
    [
      'd "$(a b)"',
      [
        ['a', 'b'],
        ['d', '$(a b)'],
      ],
    ],
    ["d '$(a b)'", [['d', '$(a b)']]],
  ])('%s', (shell, commands) => {
    expect(commandsIn(shell)).toEqual(commands);
  });
});

it('our own commands are found however they are called', () => {
  const shell = [
    'idport serve --port=1 &',
    'IDPORT_TOKEN=x npx idport verify a.json',
    'node --cpu-prof bin/idport.js check b.json | jq .',
    'npm install --save-dev idport',
    'cat idport.json',
  ].join('\n');
  expect(idportCommandsIn(shell)).toEqual([
    ['serve', '--port=1'],
    ['verify', 'a.json'],
    ['check', 'b.json'],
  ]);
});
