import { assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeIdMapRow, idMapHeader, readIdMap } from '../../../src/flows/report/id-map.ts';

/** What a spreadsheet calculates, what CSV uses itself, and everything else. */
const ids = oneof(
  string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  tuple(
    constantFrom("'", "''", '', '"', ',', '\r', '\n', '\ufeff', ' '),
    constantFrom('=', '+', '-', '@', '\t', '\r', '\uff1d', "'", 'x'),
    string(),
  ).map((parts) => parts.join('')),
);

describe('the rows of an id map', () => {
  it('come back exactly, whatever the ids are', () => {
    assert(
      property(ids, ids, (oldId, newId) => {
        const text = `${idMapHeader}\n${encodeIdMapRow({ oldId, newId, state: 'created' })}`;
        expect(readIdMap('ids.csv', text)).toEqual(newId === '' ? [] : [[oldId, newId]]);
      }),
      { numRuns: 2000 },
    );
  });

  it('have no cell that a spreadsheet would calculate', () => {
    assert(
      property(ids, (oldId) => {
        const row = encodeIdMapRow({ oldId, newId: oldId, state: 'created' });
        expect(row.replace(/^"/, '')).not.toMatch(/^(?!\+\d+,)[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/);
      }),
      { numRuns: 2000 },
    );
  });

  it('of usual ids are as they are, and those of earlier versions are read', () => {
    expect(encodeIdMapRow({ oldId: "o'hara", newId: '4711', state: 'existed' })).toBe(
      "o'hara,4711,existed\n",
    );
    expect(encodeIdMapRow({ oldId: '=1+1', newId: '1', state: 'created' })).toBe("'=1+1,1,created\n");
    expect(readIdMap('ids.csv', `${idMapHeader}\n=1+1,'a,created\n`)).toEqual([['=1+1', "'a"]]);
  });
});
