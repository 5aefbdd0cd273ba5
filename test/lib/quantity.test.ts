import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../../src/lib/quantity.ts';

describe('quantities for users', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1234567, '1,234,567'],
  ])('groups the count %d as %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it('knows one from many', () => {
    expect(formatCounted(1, 'user')).toBe('1 user');
    expect(formatCounted(0, 'user')).toBe('0 users');
    expect(formatCounted(2, 'entry', 'entries')).toBe('2 entries');
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [1_071_000_000, '1.07 GB'],
    [10_724_000_000_000, '10.7 TB'],
  ])('says %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0.04, '40 ms'],
    [0.1, '0.1 s'],
    [0.44, '0.4 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [59.6, '1 min'],
    [75, '1 min 15 s'],
    [3600, '1 h'],
    [7500, '2 h 5 min'],
  ])('says %d seconds as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});
