import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, asyncProperty, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { encodeIdMapRow, idMapHeader, readIdMap } from '../../../src/flows/report/id-map.ts';
import { createTestFolder } from '../../support/folder.ts';

/** What a spreadsheet calculates, what CSV uses itself, and everything else. */
const ids = oneof(
  string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  tuple(
    constantFrom("'", "''", '', '"', ',', '\r', '\n', '\ufeff', ' '),
    constantFrom('=', '+', '-', '@', '\t', '\r', '\uff1d', "'", 'x'),
    string(),
  ).map((parts) => parts.join('')),
);

/** Of a map with these rows. */
async function idsIn(path: string, rows: string) {
  writeFileSync(path, `${idMapHeader}\n${rows}`);
  const all: unknown[] = [];
  for await (const pair of readIdMap('ids.csv', path)) all.push(pair);
  return all;
}

it('rows of an id map are read back exactly for any id', async () => {
  const path = join(createTestFolder(), 'ids.csv');
  await assert(
    asyncProperty(ids, ids, async (oldId, newId) => {
      const row = encodeIdMapRow({ oldId, newId, state: 'created' });
      expect(await idsIn(path, row)).toEqual(newId === '' ? [] : [[oldId, newId]]);
    }),
    { numRuns: 2000 },
  );
});

it('rows of an id map have no cell that a spreadsheet would evaluate', () => {
  assert(
    property(ids, (oldId) => {
      const row = encodeIdMapRow({ oldId, newId: oldId, state: 'created' });
      expect(row.replace(/^"/, '')).not.toMatch(/^(?!\+\d+,)[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/);
    }),
    { numRuns: 2000 },
  );
});

it('rows of an id map keep usual ids unquoted, and unescaped rows of earlier versions are read', async () => {
  expect(encodeIdMapRow({ oldId: "o'hara", newId: '4711', state: 'existed' })).toBe("o'hara,4711,existed\n");
  expect(encodeIdMapRow({ oldId: '=1+1', newId: '1', state: 'created' })).toBe("'=1+1,1,created\n");
  const path = join(createTestFolder(), 'ids.csv');
  expect(await idsIn(path, "=1+1,'a,created\n")).toEqual([['=1+1', "'a"]]);
});
