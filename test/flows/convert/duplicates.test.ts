import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConvertedBatch, row, RowList } from '../../../src/flows/convert/batch.ts';
import { createDuplicates, type DuplicateRule } from '../../../src/flows/convert/duplicates.ts';
import { createRecordNumbers } from '../../../src/flows/convert/record-numbers.ts';
import { BatchSpace } from '../../../src/lib/batch-memory.ts';
import { hashText } from '../../../src/compact/hash-text.ts';
import { openSpillFile } from '../../../src/storage/spill-file.ts';
import { createTestFolder } from '../../support/folder.ts';

const seed = 77;

interface Somebody {
  readonly id: string;
  readonly userName: string;
}

/** Few different texts, the same for ids and names; names that differ in case, and that look like renamed ones. */
const text = fc.constantFrom('a', 'b', 'B', 'c', 'a-2', 'a-3', 'b-2', 'A-2', 'd@x', 'd-2@x');
const somebody = fc.record({ id: fc.oneof(text, fc.constant('')), userName: text });
/** Nobody is a record that is not written. */
const batch = fc.array(fc.option(somebody), { maxLength: 12 });

describe('the duplicates of a run', () => {
  it.each(['reject', 'keep', 'suffix'] as const)(
    'are those of a table of names and a table of ids, one record after the other (%s)',
    (rule) => {
      fc.assert(
        fc.property(
          fc.array(somebody, { maxLength: 3 }),
          fc.array(batch, { maxLength: 6 }),
          (there, batches) => {
            expect(runOf(rule, there, batches)).toEqual(tablesOf(rule, there, batches));
          },
        ),
        { numRuns: 400 },
      );
    },
  );

  it('are the same however much of the input is said to have been read', () => {
    const batches = manyPeople(30_000);
    const expected = tablesOf('reject', [], batches);
    for (const share of [Number.NaN, 0, 0.001, 0.5, 1, 7, -2]) {
      expect(runOf('reject', [], batches, () => share)).toEqual(expected);
    }
  });

  it('are the same where there are too many for memory, with a folder for temporary files and without', () => {
    const batches = manyPeople(120_000);
    const expected = tablesOf('reject', [], batches);
    expect(runOf('reject', [], batches)).toEqual(expected);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TMPDIR', join(createTestFolder(), 'none'));
    expect(openSpillFile()).toBeUndefined();
    expect(runOf('reject', [], batches)).toEqual(expected);
  });
});

/** A third of them has the name of somebody before. */
function manyPeople(count: number): Somebody[][] {
  const people = Array.from({ length: count }, (_, n) => ({
    id: `i${n}`,
    userName: `n${n % ((count * 2) / 3)}`,
  }));
  return Array.from({ length: count / 500 }, (_, n) => people.slice(n * 500, (n + 1) * 500));
}

/** What is told of each record: nothing for those who are new. */
function runOf(
  rule: DuplicateRule,
  there: readonly Somebody[],
  batches: readonly (readonly (Somebody | null)[])[],
  share = () => Number.NaN,
): string[] {
  const places = createRecordNumbers();
  const duplicates = createDuplicates(rule, seed, places, share);
  for (const person of there) duplicates.register(person);
  const told: string[] = [];
  for (const people of batches) {
    const ordinal = places.next;
    places.advance('x', people.length);
    const converted = convert(people);
    let next = 0;
    for (;;) {
      const taken = duplicates.claim(converted, next, ordinal);
      if (taken === undefined) break;
      const { detail, element } = duplicates.settle(converted, taken, ordinal, undefined);
      const said = [...detail.notes, ...(detail.rejected === undefined ? [] : [detail.rejected])];
      const name =
        element === undefined || element === '' ? '' : ` ${JSON.parse(element.slice(1)).user.userName}`;
      told.push(
        `${ordinal + taken.place} ${said.map((note) => `${note.code} ${note.detail}`).join()}${name}`,
      );
      next = taken.place + 1;
    }
  }
  duplicates.close();
  return told;
}

/** The same in the plainest way. */
function tablesOf(
  rule: DuplicateRule,
  there: readonly Somebody[],
  batches: readonly (readonly (Somebody | null)[])[],
): string[] {
  const names = new Map<string, number>();
  const ids = new Map<string, number>();
  const claim = (table: Map<string, number>, key: string, ordinal: number): number | undefined => {
    const holder = table.get(key);
    if (holder === undefined) table.set(key, ordinal);
    return holder;
  };
  const told: string[] = [];
  const add = ({ id, userName }: Somebody, ordinal: number): void => {
    const idHolder = id === '' ? undefined : claim(ids, id, ordinal);
    const holder = idHolder ?? claim(names, userName.toLowerCase(), ordinal);
    if (holder === undefined || ordinal === -1) return;
    const what = idHolder === undefined ? 'user name' : 'id';
    const first = `same ${what} as record ${holder} of x`;
    if (holder === -1) told.push(`${ordinal} target:user-exists same ${what}`);
    else if (rule === 'keep') told.push(`${ordinal} duplicate:kept ${first}`);
    else if (rule === 'suffix' && what === 'user name') {
      let name = userName;
      for (let number = 2, free = false; !free; number++) {
        const [local, ...domain] = userName.split('@');
        name = [`${local}-${number}`, ...domain].join('@');
        free = claim(names, name.toLowerCase(), ordinal) === undefined;
      }
      told.push(`${ordinal} duplicate:renamed ${first}; now ${name} ${name}`);
    } else told.push(`${ordinal} user-skipped:duplicate-${what === 'id' ? 'id' : 'username'} ${first}`);
  };
  for (const person of there) add(person, -1);
  for (const [ordinal, person] of batches.flat().entries()) if (person !== null) add(person, ordinal);
  return told;
}

function convert(people: readonly (Somebody | null)[]): ConvertedBatch {
  const rows = new RowList();
  let body = '';
  for (const person of people) {
    const at = rows.add();
    if (person !== null) {
      const { id, userName } = person;
      body += `,${JSON.stringify({ ...(id === '' ? {} : { userId: id }), user: { userName } })}`;
      hashText(userName.toLowerCase(), seed, rows.words, at + row.name);
      if (id !== '') hashText(id, seed, rows.words, at + row.id);
    }
    rows.words[at + row.end] = Buffer.byteLength(body);
  }
  return {
    input: 'x',
    count: people.length,
    body: Buffer.from(body),
    rows: rows.copyTo(new BatchSpace()),
    remarks: [],
    details: [],
  };
}
