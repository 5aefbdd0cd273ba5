import { describe, expect, it } from 'vitest';
import { checkAddress } from '../../src/records/email.ts';

describe('an address', () => {
  // What Go's net/mail says, probed with the real thing.
  it.each([
    'a@b',
    'a@localhost',
    ' a@b.c ',
    '<a@b.c>',
    'ü@bücher.de',
    '"a b"@c.d',
    "o'neil+tag@x-y.example",
    '日本@例え.jp',
  ])('%j is taken', (address) => {
    expect(checkAddress(address)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['a@', 'invalid'],
    ['@b', 'invalid'],
    ['a b@c.d', 'invalid'],
    ['a@b@c', 'invalid'],
    ['a.@b.c', 'invalid'],
    ['.a@b.c', 'invalid'],
    ['a..b@c.d', 'invalid'],
    ['a@b..c', 'invalid'],
    ['a@b.c.', 'invalid'],
    ['unknown', 'invalid'],
    ['janis@idir,x@y', 'invalid'],
    ['a@b\ud800', 'invalid'],
    ['A <a@b.c>', 'has a display name'],
    ['a@b.c (comment)', 'has a display name'],
  ])('%j is refused: %s', (address, problem) => {
    expect(checkAddress(address)).toBe(problem);
  });

  it('with a million blanks inside takes no more time than another', () => {
    expect(checkAddress(`a${' '.repeat(1_000_000)}b@c.d`)).toBe('invalid');
  });
});
