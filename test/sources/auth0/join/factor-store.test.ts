import { array, assert, constantFrom, integer, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { FactorStore, type Factors } from '../../../../src/sources/auth0/join/factor-store.ts';

const line = record({
  slot: integer({ min: 10, max: 15 }),
  userId: constantFrom('auth0|1'),
  kind: constantFrom('otp', 'recovery-code', 'other'),
  value: string({ unit: 'grapheme' }),
});

it('a store of factors gives back what was put in, in the order of the lines', () => {
  assert(
    property(array(line, { maxLength: 40 }), (lines) => {
      const store = new FactorStore(10, 16);
      for (const { slot, ...factor } of lines) store.add(slot, factor);
      const expected = new Map<number, Factors>();
      for (let slot = 10; slot < 16; slot++) {
        const mine = lines.filter((line) => line.slot === slot);
        const values = (kind: string): string[] =>
          mine.filter((line) => line.kind === kind).map(({ value }) => value.toWellFormed());
        if (mine.length === 0) continue;
        expected.set(slot - 10, {
          otpSecrets: values('otp'),
          recoveryCodes: values('recovery-code'),
          others: values('other'),
        });
      }
      expect(store.slice(10, 16)).toEqual(expected);
    }),
  );
});

it('a store of factors grows, and cuts what no one would write', () => {
  const store = new FactorStore(0, 1);
  for (let i = 0; i < 1000; i++) store.add(0, { userId: 'x', kind: 'recovery-code', value: `code ${i}` });
  store.add(0, { userId: 'x', kind: 'otp', value: 'A'.repeat(100_000) });
  const { recoveryCodes, otpSecrets } = store.get(0) ?? { recoveryCodes: [], otpSecrets: [] };
  expect(recoveryCodes).toEqual(Array.from({ length: 1000 }, (_, i) => `code ${i}`));
  expect(otpSecrets[0]).toHaveLength(65_535);
});
