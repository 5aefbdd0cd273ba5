import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPhone } from '../../src/records/phone.ts';

/** What the library alone says, without the patterns for plain numbers. */
function readSlowly(raw: string, region: CountryCode | undefined) {
  const parsed =
    region === undefined ? parsePhoneNumberFromString(raw) : parsePhoneNumberFromString(raw, region);
  if (parsed === undefined || (!raw.trimStart().startsWith('+') && !parsed.isPossible())) return undefined;
  return { e164: parsed.number, doubtful: !parsed.isValid() };
}

const prefixes = (code: string) => [
  `+${code}`,
  `+${code}0`,
  `00${code}`,
  `011${code}`,
  code,
  '0',
  '1',
  '8',
  '',
];

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength, maxLength });

/** Digits at random, and numbers near the example of the country: its last digits changed, one more or one less. */
const cases = fc.record({
  country: fc.constantFrom(...getCountries()),
  hasRegion: fc.boolean(),
  prefix: fc.nat(8),
  random: digits(3, 14),
  end: digits(0, 5),
  form: fc.constantFrom('random', 'near', 'shorter'),
  style: fc.constantFrom('plain', ' ', '.', '-', '(', 'mixed'),
});

function digitsOf({
  form,
  country,
  random,
  end,
}: {
  form: string;
  country: string;
  random: string;
  end: string;
}) {
  if (form === 'random') return random;
  const example = (examples as Record<string, string>)[country] ?? '';
  return form === 'near' ? example.slice(0, example.length - end.length) + end : example.slice(1) + end;
}

function write(prefix: string, digits: string, style: string) {
  if (style === 'plain') return prefix + digits;
  const [head, tail] = [digits.slice(0, 3), digits.slice(3)];
  if (style === '(') return `${prefix} (${head}) ${tail}`;
  if (style === 'mixed') return `${prefix} ${head}-${tail.slice(0, 2)}. ${tail.slice(2)}`;
  return [prefix, head, tail.slice(0, 3), tail.slice(3)].filter(Boolean).join(style);
}

it('readPhone agrees with the library in every region and form', () => {
  fc.assert(
    fc.property(cases, (number) => {
      const region = number.hasRegion ? number.country : undefined;
      const prefix = prefixes(getCountryCallingCode(number.country))[number.prefix] ?? '';
      const raw = write(prefix, digitsOf(number), number.style);
      expect([raw, region, readPhone(raw, region)]).toEqual([raw, region, readSlowly(raw, region)]);
    }),
    { numRuns: 5000, endOnFailure: true },
  );
});
