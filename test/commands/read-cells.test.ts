import { expect, it } from 'vitest';
import { readCells, readIds } from '../../src/commands/read-text.ts';

it.each([
  ['acme,,Acme 2', ['acme', '', 'Acme 2']],
  ['acme;"a;""b""";;', ['acme', 'a;"b"']],
  [',\t1', ['', '', '1']],
])('empty cells keep their place: %s', (line, cells) => {
  expect([...readCells(line)]).toEqual([{ line: 1, cells }]);
});

it('the third column is never the id', () => {
  expect(() => readIds('map.csv', 'key,id\nacme,,12', 'organization', 'acme')).toThrow(
    'line 2: expected a key and the id',
  );
});
