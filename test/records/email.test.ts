import { describe, expect, it } from 'vitest';
import { checkAddress } from '../../src/records/email.ts';

describe('checkAddress', () => {
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
  ])('accepts %j', (address) => {
    expect(checkAddress(address)).toBeUndefined();
  });

  it.each([
    ['empty', '', '  '],
    [
      'invalid',
      'a@',
      '@b',
      'a b@c.d',
      'a@b@c',
      'a.@b.c',
      '.a@b.c',
      'a..b@c.d',
      'a@b..c',
      'a@b.c.',
      'unknown',
    ],
    ['invalid', 'janis@idir,x@y', 'a@b\ud800'],
    ['has a display name', 'A <a@b.c>', 'a@b.c (comment)'],
  ])('addresses are refused: %s', (problem, ...texts) => {
    for (const address of texts) expect([address, checkAddress(address)]).toEqual([address, problem]);
  });

  it('checks a million spaces in linear time', () => {
    expect(checkAddress(`a${' '.repeat(1_000_000)}b@c.d`)).toBe('invalid');
  });
});
