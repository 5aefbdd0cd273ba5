import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ConvertedBatch, row, RowList } from '../../../src/flows/convert/batch.ts';
import {
  createDuplicates,
  createRecordNumbers,
  type DuplicateRule,
} from '../../../src/flows/convert/duplicates.ts';
import { hashText } from '../../../src/compact/key-table.ts';

const seed = 77;

interface TestUser {
  readonly id: string;
  readonly userName: string;
}

/** Few different texts, the same for ids and names; names that differ in case, and that look like renamed ones. */
const text = fc.constantFrom('a', 'b', 'B', 'c', 'a-2', 'a-3', 'b-2', 'A-2', 'd@x', 'd-2@x');
const testUser = fc.record({ id: fc.oneof(text, fc.constant('')), userName: text });
/** Null is a record that is not written. */
const batch = fc.array(fc.option(testUser), { maxLength: 12 });

it.each(['reject', 'keep', 'suffix'] as const)(
  'Duplicates finds the same duplicates as two plain maps (%s)',
  (rule) => {
    fc.assert(
      fc.property(
        fc.array(testUser, { maxLength: 3 }),
        fc.array(batch, { maxLength: 6 }),
        (there, batches) => {
          expect(runOf(rule, there, batches)).toEqual(tablesOf(rule, there, batches));
        },
      ),
      { numRuns: 400 },
    );
  },
);

it('Duplicates finds the same duplicates among 120,000 users', () => {
  const batches = manyUsers(120_000);
  expect(runOf('reject', [], batches)).toEqual(tablesOf('reject', [], batches));
});

/** A third of them has the name of an earlier user. */
function manyUsers(count: number) {
  const users = Array.from({ length: count }, (_, n) => ({
    id: `i${n}`,
    userName: `n${n % ((count * 2) / 3)}`,
  }));
  return Array.from({ length: count / 500 }, (_, n) => users.slice(n * 500, (n + 1) * 500));
}

/** A line for each record that is a duplicate. */
function runOf(
  rule: DuplicateRule,
  there: readonly TestUser[],
  batches: readonly (readonly (TestUser | null)[])[],
) {
  const recordNumbers = createRecordNumbers();
  const duplicates = createDuplicates(rule, seed, recordNumbers);
  for (const user of there) duplicates.register(user);
  const lines: string[] = [];
  for (const users of batches) {
    const ordinal = recordNumbers.next;
    recordNumbers.advance('x', users.length);
    const converted = convert(users);
    let next = 0;
    for (;;) {
      const clash = duplicates.addUntilClash(converted, next);
      if (clash === undefined) break;
      const { detail, element } = duplicates.resolve(converted, clash, undefined);
      const notes = [...detail.notes, ...(detail.rejected === undefined ? [] : [detail.rejected])];
      const name =
        element === undefined || element === '' ? '' : ` ${JSON.parse(element.slice(1)).user.userName}`;
      lines.push(
        `${ordinal + clash.place} ${notes.map((note) => `${note.code} ${note.detail}`).join()}${name}`,
      );
      next = clash.place + 1;
    }
  }
  return lines;
}

/** The same with two maps. */
function tablesOf(
  rule: DuplicateRule,
  there: readonly TestUser[],
  batches: readonly (readonly (TestUser | null)[])[],
) {
  const names = new Map<string, number>();
  const ids = new Map<string, number>();
  const addTo = (table: Map<string, number>, key: string, ordinal: number) => {
    const first = table.get(key);
    if (first === undefined) table.set(key, ordinal);
    return first;
  };
  const lines: string[] = [];
  const add = ({ id, userName }: TestUser, ordinal: number) => {
    const sameId = id === '' ? undefined : addTo(ids, id, ordinal);
    const original = sameId ?? addTo(names, userName.toLowerCase(), ordinal);
    if (original === undefined || ordinal === -1) return;
    const what = sameId === undefined ? 'user name' : 'id';
    const first = `same ${what} as record ${original + 1} of x`;
    if (original === -1) lines.push(`${ordinal} target:user-exists same ${what}`);
    else if (rule === 'keep') lines.push(`${ordinal} duplicate:kept ${first}`);
    else if (rule === 'suffix' && what === 'user name') {
      let name = userName;
      for (let number = 2, free = false; !free; number++) {
        const [local, ...domain] = userName.split('@');
        name = [`${local}-${number}`, ...domain].join('@');
        free = addTo(names, name.toLowerCase(), ordinal) === undefined;
      }
      lines.push(`${ordinal} duplicate:renamed ${first}; now ${name} ${name}`);
    } else lines.push(`${ordinal} user-skipped:duplicate-${what === 'id' ? 'id' : 'username'} ${first}`);
  };
  for (const user of there) add(user, -1);
  for (const [ordinal, user] of batches.flat().entries()) if (user !== null) add(user, ordinal);
  return lines;
}

function convert(users: readonly (TestUser | null)[]): ConvertedBatch {
  const rows = new RowList();
  let body = '';
  for (const user of users) {
    const at = rows.add();
    if (user !== null) {
      const { id, userName } = user;
      body += `,${JSON.stringify({ ...(id !== '' && { userId: id }), user: { userName } })}`;
      hashText(userName.toLowerCase(), seed, rows.words, at + row.name);
      if (id !== '') hashText(id, seed, rows.words, at + row.id);
    }
    rows.words[at + row.end] = Buffer.byteLength(body);
  }
  return {
    input: 'x',
    count: users.length,
    body: Buffer.from(body),
    rows: rows.take(),
    converter: 'x',
    firstKind: 1,
    newKinds: [],
    details: [],
    orgs: '',
  };
}
