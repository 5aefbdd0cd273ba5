import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import {
  cannotSignIn,
  countValues,
  filterRows,
  groupByUser,
  toCsv,
  unpack,
  unpackUser,
  type PackedRow,
  type RowNames,
} from '../../src/page/rows.ts';

const names: RowNames = {
  total: 3,
  parts: ['migrate keycloak', 'verify'],
  files: ['a.json', 'b.json'],
  reasons: [
    ['name:missing', 'Give a name.', 'The name is missing'],
    ['group:not-migrated', 'Recreate them.', 'The user is in groups'],
    ['missing', 'Run the import again, unless it was rolled back.', 'missing'],
  ],
  barring: ['missing'],
};
const rows: PackedRow[] = [
  [
    0,
    'rejected',
    'Ada',
    'ada@example.org',
    'id-1',
    '1',
    'realm.json #5',
    [
      [0, 'no first name'],
      [1, '2 groups'],
    ],
  ],
  [0, 'noted', 'ben', 'ben@example.org', 'id-2', '2', 'realm.json #6', [[1, '1 group']]],
  [1, 'missing', 'cy', '', 'id-3', '1', '', [[2, '']]],
];

it.each([
  [{}, [0, 1, 2]],
  // All words, in any of the texts, whatever their case.
  [{ search: 'ADA' }, [0]],
  [{ search: 'group ben@' }, [1]],
  [{ search: 'realm.json #6' }, [1]],
  [{ part: 'verify' }, [2]],
  [{ outcome: 'noted' }, [1]],
  [{ reason: 'group:not-migrated', org: '2' }, [1]],
  [{ reason: cannotSignIn }, [2]],
])('the filter %o finds the rows %o', (filter, found) => {
  expect(filterRows(rows, names, { search: '', ...filter })).toEqual(found);
});

it('counts choices by frequency, each once per user', () => {
  const more: PackedRow[] = [
    [
      0,
      'noted',
      'x',
      '',
      '',
      '1',
      'realm.json #7',
      [
        [1, 'a'],
        [1, 'b'],
      ],
    ],
    [1, 'noted', 'x', '', '', '1', 'realm.json #7', [[1, 'a']]],
  ];
  const counts = countValues(groupByUser([...rows, ...more], [0, 1, 2, 3, 4]), names);
  expect(counts.reason).toEqual([
    [cannotSignIn, 1],
    ['group:not-migrated', 3],
    ['name:missing', 1],
    ['missing', 1],
  ]);
  expect(counts.org).toEqual([
    ['1', 3],
    ['2', 1],
  ]);
});

it('shows a user of several runs once, with all reasons and the last outcome', () => {
  const later: PackedRow = [
    1,
    'missing',
    'ada',
    '',
    'id-1',
    '1',
    '',
    [
      [0, 'no first name'],
      [2, ''],
    ],
  ];
  const [ada, ...others] = groupByUser([later, ...rows], [0, 1, 2, 3]);
  expect(others).toEqual([[rows[1]], [rows[2]]]);
  const { part, outcome, email, place, reasons } = unpackUser(ada!, names);
  expect([part, outcome, email, place]).toEqual(['verify', 'missing', 'ada@example.org', 'realm.json #5']);
  expect(reasons.map(({ code }) => code)).toEqual(['name:missing', 'group:not-migrated', 'missing']);
  const nameless: PackedRow = [0, 'rejected', '', '', '', '1', 'realm.json #8', []];
  expect(groupByUser([nameless, nameless], [0, 1])).toHaveLength(2);
});

it('exports CSV without formulas and invisible characters', () => {
  const hostile: PackedRow = [
    0,
    'rejected',
    '=1+1',
    '"a",b\n@x',
    '\u202eid',
    '1',
    'realm.json #2',
    [
      [0, '+cmd|x'],
      [1, '-1'],
    ],
  ];
  const [head, user] = parse(toCsv([unpack(hostile, names)]).join(''));
  expect(head).toEqual('run,outcome,reason,detail,user_name,email,id,organization,place,remedy'.split(','));
  expect(user).toEqual([
    'migrate keycloak',
    'rejected',
    'name:missing; group:not-migrated',
    "'+cmd|x; -1",
    "'=1+1",
    '"a",b\\u000a@x',
    '\\u202eid',
    '1',
    'realm.json #2',
    'Give a name.; Recreate them.',
  ]);
});
