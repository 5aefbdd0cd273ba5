import { expect, it } from 'vitest';
import { readCells, readIds } from '../../src/commands/read-text.ts';

it.each([
  ['acme,,Acme 2', ['acme', '', 'Acme 2']],
  ['acme;"a;""b""";;', ['acme', 'a;"b"']],
  [',\t1', ['', '', '1']],
])('readCells keeps the position of empty cells: %s', (line, cells) => {
  expect([...readCells(line)]).toEqual([{ line: 1, cells }]);
});

it.each([
  ['key,id\nacme,1', { acme: '1' }],
  ['acme,acme-org\nglobex,globex', { acme: 'acme-org', globex: 'globex' }],
  ['acme,1\nglobex,globex', { acme: '1', globex: 'globex' }],
  ['google,google-idp\ngithub,12', { google: 'google-idp', github: '12' }],
  ['# ids\n"Source Key";organizationId;note\nacme;1;x', { acme: '1' }],
  ['source,acme-org\nkey,id', { source: 'acme-org', key: 'id' }],
])('readIds skips the first row only if its cells are column titles: %j', (text, ids) => {
  expect(readIds('map.csv', text, 'organization', 'acme')).toEqual(ids);
});

it('readIds never takes the third column as the id', () => {
  expect(() => readIds('map.csv', 'key,id\nacme,,12', 'organization', 'acme')).toThrow(
    'line 2: expected a key and the id',
  );
});
