import { array, assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText } from '../../src/compact/hash-text.ts';
import { KeyTable, keyWords } from '../../src/compact/key-table.ts';

function keyOf(text: string): Uint32Array {
  const key = new Uint32Array(keyWords);
  hashText(text, 1, key, 0);
  return key;
}

const none = new Uint32Array(keyWords);

describe('a key table', () => {
  it('finds exactly what a Map would, newest first', () => {
    assert(
      property(array(string({ maxLength: 3 }), { maxLength: 3000 }), (texts) => {
        const table = new KeyTable();
        const expected = new Map<string, number[]>();
        for (const text of texts) {
          const entry = table.add(keyOf(text), 0);
          expected.set(text, [entry, ...(expected.get(text) ?? [])]);
        }
        for (const [text, entries] of expected) {
          const key = keyOf(text);
          expect(table.findAll(key, 0)).toEqual(entries);
        }
        expect(table.findAll(keyOf('longer than three'), 0)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps 200,000 entries apart, those without a key too', () => {
    const table = new KeyTable();
    for (let i = 0; i < 200_000; i++) table.add(i % 10 === 0 ? none : keyOf(i.toString(16)), 0);
    let wrong = 0;
    for (let i = 0; i < 200_000; i++) {
      const found = table.find(keyOf(i.toString(16)), 0);
      if (found !== (i % 10 === 0 ? -1 : i)) wrong++;
    }
    expect(wrong).toBe(0);
    expect(table.size).toBe(200_000);
    expect([table.find(none, 0), table.findAll(none, 0)]).toEqual([-1, []]);
  });

  it('finds entries by the keys of each column', () => {
    const table = new KeyTable(2);
    const words = new Uint32Array(2 * keyWords);
    const write = (first: string, second: string): void => {
      words.fill(0);
      if (first !== '') hashText(first, 1, words, 0);
      if (second !== '') hashText(second, 1, words, keyWords);
    };
    for (let i = 0; i < 5000; i++) {
      write(i % 7 === 0 ? '' : `a${i}`, i % 5 === 0 ? '' : `b${i >> 1}`);
      expect(table.add(words, 0)).toBe(i);
    }
    for (let i = 0; i < 5000; i++) {
      write(`a${i}`, `b${i >> 1}`);
      expect(table.find(words, 0, 0)).toBe(i % 7 === 0 ? -1 : i);
      expect(table.find(words, keyWords, 0)).toBe(-1);
      expect(table.has(i, words, keyWords, 1)).toBe(i % 5 !== 0);
      const [older, newer] = [i & ~1, i | 1].filter((entry) => entry % 5 !== 0);
      expect(table.find(words, keyWords, 1)).toBe(newer ?? older ?? -1);
    }
  });

  it('says whether two entries have one key, and that those without a key are like no other', () => {
    const key = keyOf('one');
    const table = new KeyTable();
    for (const added of [key, key, none, none]) table.add(added, 0);
    expect([table.same(0, 1), table.same(0, 2), table.same(2, 3)]).toEqual([true, false, false]);
  });
});
