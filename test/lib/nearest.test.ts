import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.ts';

describe('nearest words', () => {
  const words = ['realm', 'realm-name', 'rejects', 'report', 'org', 'id'];

  it.each([
    ['relm', ['realm']],
    ['REALM', ['realm']],
    ['reprot', ['report']],
    ['ogr', ['org']],
    ['orgg', ['org']],
    ['foo', []],
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
});
