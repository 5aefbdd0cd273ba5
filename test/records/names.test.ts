import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeNames, nameFallbacks } from '../../src/records/names.ts';

const known = { given: '', family: '', full: '', userName: 'ada', email: 'ada.l@example.org' };

describe('names', () => {
  it('are taken as they are', () => {
    expect(completeNames({ ...known, given: 'Ada', family: 'Lovelace' }, 'username')).toEqual({
      given: 'Ada',
      family: 'Lovelace',
      filled: '',
      truncated: false,
    });
  });

  it.each([
    ['Ada King Lovelace', 'Ada King', 'Lovelace', ''],
    ['Ada', 'Ada', 'ada', 'last name'],
  ])('are split from the full name %s', (full, given, family, filled) => {
    expect(completeNames({ ...known, full }, 'username')).toMatchObject({ given, family, filled });
  });

  it.each([
    ['username', 'ada'],
    ['email-local', 'ada.l'],
    ['dash', '-'],
    ['full-name', 'Ada Lovelace'],
  ] as const)('fall back with %s', (fallback, both) => {
    const full = fallback === 'full-name' ? 'Ada Lovelace' : '';
    expect(completeNames({ ...known, full }, fallback)).toMatchObject({
      given: both,
      family: both,
      filled: 'first and last name',
    });
  });

  it('leave the user out with skip', () => {
    expect(completeNames({ ...known, given: 'Ada' }, 'skip')).toBeUndefined();
  });

  it('never come out empty or longer than the target takes', () => {
    const text = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 300 }));
    fc.assert(
      fc.property(text, text, text, fc.constantFrom(...nameFallbacks), (given, family, full, fallback) => {
        const names = completeNames({ ...known, given, family, full }, fallback);
        if (names === undefined) return;
        for (const name of [names.given, names.family]) {
          expect(name).not.toBe('');
          expect(Array.from(name).length).toBeLessThanOrEqual(200);
        }
      }),
    );
  });
});
