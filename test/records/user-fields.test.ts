import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLanguage } from '../../src/records/language.ts';
import { decodeBase32, encodeBase32 } from '../../src/lib/base32.ts';

it('readLanguage returns at most ten characters', () => {
  fc.assert(
    fc.property(fc.string(), (raw) => {
      expect(readLanguage(raw).tag.length).toBeLessThanOrEqual(10);
    }),
  );
});

it('TOTP secrets keep their bytes through base32', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const text = encodeBase32(bytes);
      expect(text).toMatch(/^[A-Z2-7]+$/);
      expect(decodeBase32(text)).toEqual(bytes);
    }),
  );
});
