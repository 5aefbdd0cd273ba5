import { describe, expect, it } from 'vitest';
import { checkAddress } from '../../src/records/email.ts';

describe('checkAddress', () => {
  it('checks a million spaces in linear time', () => {
    expect(checkAddress(`a${' '.repeat(1_000_000)}b@c.d`)).toBe('invalid');
  });
});
