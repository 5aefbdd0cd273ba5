/** Every encoding of the same credential gives the same hash. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { startUser } from '../../../src/records/build-user.ts';
import { readPassword } from '../../../src/sources/keycloak/password.ts';
import { usualKeycloak } from '../../support/usual-job.ts';

const key = Buffer.alloc(32, 3).toString('base64');
const salt = Buffer.alloc(16, 5).toString('base64');

function read(secretData: unknown): { hash: string; codes: string[] } {
  const draft = startUser({ input: 'realm.json', index: 0, id: '1' });
  const credentialData = '{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}';
  readPassword(draft, { type: 'password', secretData, credentialData }, usualKeycloak);
  return { hash: draft.passwordHash, codes: draft.notes.map(({ code }) => code) };
}

/** As text, without what JSON would make of control characters. */
function write(entries: readonly (readonly [string, string])[], gap: string): string {
  const members = entries.map(
    ([name, value]) => `"${name}":${gap}${name.startsWith('add') ? value : `"${value}"`}`,
  );
  return `{${members.join(`,${gap}`)}}`;
}

const blank = fc.constantFrom('', ' ', '\n', '\t', '\r\n');

it('is the same in any order of keys, with control characters at its ends, and as an object', () => {
  const order = fc.shuffledSubarray(['value', 'salt', 'additionalParameters'], { minLength: 3 });
  fc.assert(
    fc.property(order, blank, blank, fc.boolean(), (names, gap, end, more) => {
      const values = { value: key + end, salt: salt + end, additionalParameters: '{}' };
      const entries = Object.entries(values)
        .toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
        .filter(([name]) => more || name !== 'additionalParameters');
      expect(read(write(entries, gap))).toEqual({ hash: `$pbkdf2-sha256$27500$${salt}$${key}`, codes: [] });
    }),
  );
  expect(read({ salt, value: key }).hash).toBe(`$pbkdf2-sha256$27500$${salt}$${key}`);
});

it('is either the same hash or none, whatever stands in the two texts and in which order', () => {
  const text = fc.string({
    unit: fc.constantFrom('A', 'b', '/', '+', '=', '\n', '\u0001', '\u2028', 'é', '.', ' '),
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const orders = [
        [
          ['value', one],
          ['salt', other],
        ],
        [
          ['salt', other],
          ['value', one],
        ],
      ] as const;
      const [first, second] = orders.map((entries) => read(write(entries, '')));
      expect(first).toEqual(second);
      expect(first).toEqual(read({ value: one, salt: other }));
    }),
  );
});
