import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../src/lib/nearest.ts';

describe('the distance between two words', () => {
  it.each([
    ['realm', 'realm', 0],
    ['relm', 'realm', 1],
    ['realm', 'raelm', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ])('of %j and %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is the same in both directions, zero only for the same word, and never more than the longer one has letters', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (from, to) => {
        const distance = editDistance(from, to);
        expect(distance).toBe(editDistance(to, from));
        expect(distance === 0).toBe(from === to);
        expect(distance).toBeLessThanOrEqual(Math.max(from.length, to.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(from.length - to.length));
      }),
    );
  });
});

describe('the nearest words', () => {
  const words = ['realm', 'realm-name', 'rejects', 'report', 'org', 'id'];

  it.each([
    ['relm', ['realm']],
    ['REALM', ['realm']],
    ['reprot', ['report']],
    ['foo', []],
    ['xy', []],
  ])('to %j are %j', (word, expected) => {
    expect(nearest(word, words)).toEqual(expected);
  });

  it('are three at most, the closest first', () => {
    expect(nearest('target', ['targets', 'target1', 'targett', 'target', 'tarnet'])).toEqual([
      'target',
      'targets',
      'target1',
    ]);
  });

  it('may be near for another reason', () => {
    expect(nearest('realm.json', ['realm.json.gz'], (word, name) => name.startsWith(word))).toEqual([
      'realm.json.gz',
    ]);
  });
});
