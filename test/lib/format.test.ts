import { describe, expect, it } from 'vitest';
import { formatBytes, formatCounted, formatSeconds, printable, withoutFlags } from '../../src/lib/format.ts';
import { assert, property, string } from 'fast-check';

describe('formatted quantities', () => {
  it('use singular and plural', () => {
    expect(formatCounted(1, 'user')).toBe('1 user');
    expect(formatCounted(1234567, 'user')).toBe('1,234,567 users');
    expect(formatCounted(2, 'entry', 'entries')).toBe('2 entries');
  });

  it.each([
    [1, '1 byte'],
    [1000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [1_071_000_000, '1.07 GB'],
    [10_724_000_000_000, '10.7 TB'],
  ])('show %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0.04, '40 ms'],
    [0.1, '0.1 s'],
    [9.96, '10 s'],
    [59.6, '1 min'],
    [75, '1 min 15 s'],
    [7500, '2 h 5 min'],
  ])('show %d seconds as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});

describe('a displayed text', () => {
  it('contains no terminal control character', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u,
        );
      }),
    );
  });

  it.each([
    ['a\u001b[2Jb\nc\u202ed', 'a\\u001b[2Jb\\u000ac\\u202ed'],
    ['lone \ud800 surrogate', 'lone \\ud800 surrogate'],
    ...['Hudā', 'Müller', '日本 太郎', 'مريم', '👩‍🚀 Ada'].map((name) => [name, name]),
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps its meaning as JSON', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(printable(JSON.stringify({ [text]: text })))).toEqual({ [text]: text });
      }),
    );
  });
});

it('withoutFlags removes exactly the flags and their values, quoted or not', () => {
  const line = `idport import-users --journal='a b'\\''s.journal' --org=1 --shard=1/4 --resume --id-map=ids.csv --journals=x`;
  const rest = 'idport import-users --org=1 --journals=x';
  expect(withoutFlags(line, ['shard', 'journal', 'id-map', 'resume'])).toBe(rest);
});
