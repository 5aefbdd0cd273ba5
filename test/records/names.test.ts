import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NameFallback, nameFallbacks, type Note } from '../../src/records/user.ts';
import { completeNames } from '../../src/records/finish-user.ts';

function complete(givenName: string, familyName: string, fullName: string, fallback: NameFallback) {
  const notes: Note[] = [];
  const user = { givenName, familyName, fullName, userName: 'ada', email: 'ada.l@example.org', notes };
  if (!completeNames(user, fallback)) return undefined;
  return { names: [user.givenName, user.familyName], notes };
}

const filled = (detail: string): Note[] => [{ code: 'name:filled', detail }];

describe('completeNames', () => {
  it('keeps given names', () => {
    expect(complete('Ada', 'Lovelace', '', 'username')).toEqual({ names: ['Ada', 'Lovelace'], notes: [] });
  });

  it('splits the full name', () => {
    expect(complete('', '', 'Ada King Lovelace', 'username')).toEqual({
      names: ['Ada King', 'Lovelace'],
      notes: [],
    });
    expect(complete('', '', 'Ada', 'username')).toEqual({
      names: ['Ada', 'ada'],
      notes: filled('last name'),
    });
  });

  it.each([
    ['username', 'ada'],
    ['email-local', 'ada.l'],
    ['dash', '-'],
    ['full-name', 'Ada Lovelace'],
  ] as const)('fall back with %s', (fallback, both) => {
    const full = fallback === 'full-name' ? 'Ada Lovelace' : '';
    expect(complete('', '', full, fallback)).toEqual({
      names: [both, both],
      notes: filled('first and last name'),
    });
  });

  it('returns false with skip', () => {
    expect(complete('Ada', '', '', 'skip')).toBeUndefined();
  });

  it('never returns an empty or overlong name', () => {
    const text = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 300 }));
    fc.assert(
      fc.property(text, text, text, fc.constantFrom(...nameFallbacks), (given, family, full, fallback) => {
        for (const name of complete(given, family, full, fallback)?.names ?? []) {
          expect(name).not.toBe('');
          expect(Array.from(name).length).toBeLessThanOrEqual(200);
        }
      }),
    );
  });
});
