/** Prints a record as strange programs would: odd values and keys, keys twice, escapes, white space. */
import type { Draw } from '../support/draw.ts';

/** In JSON, because some are what no value of JavaScript becomes. */
export const oddValues = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e300,
    [],
    {},
    [[]],
    [null],
    { '': {} },
    '',
    ' ',
    '0',
    'true',
    'x'.repeat(5000),
    'a\0b',
    '"},{"id":"x"',
    '+41 44 668 18 00',
    '{"value":1}',
  ].map((value) => JSON.stringify(value)),
  '{"a":{"b":[1,"x"]}}',
  '1e400',
  '-0',
  '1E-400',
  '12345678901234567890',
  '1.0',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83c\\udf88"',
  '"\\u0061\\/\\b"',
  `${'['.repeat(300)}${']'.repeat(300)}`,
  `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
];
const known = ['id', 'username', 'email', 'phone', 'attributes', 'credentials', 'users', '__proto__'];

export function printOdd(record: unknown, draw: Draw): string {
  const space = draw.pick(['', '', ' ', '\n  ', '\t']);
  const escapes = draw.pick([0, 0, 0.02, 0.5]);
  const oddities = draw.pick([0, 0.01, 0.03]);
  const isReversed = draw.chance(0.3);
  return print(record);

  function print(value: unknown): string {
    if (draw.chance(oddities)) return draw.pick(oddValues);
    if (Array.isArray(value)) return `[${joined(value.map(print))}]`;
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).flatMap(([key, inner]) =>
        printedKeys(key).map((name) => `${printText(name)}${space}:${space}${print(inner)}`),
      );
      return `{${joined(isReversed ? fields.toReversed() : fields)}}`;
    }
    return typeof value === 'string' ? printText(value) : JSON.stringify(value);
  }

  function joined(parts: readonly string[]) {
    return `${space}${parts.join(`${space},${space}`)}${space}`;
  }

  function printedKeys(key: string) {
    if (!draw.chance(oddities)) return [key];
    const other = draw.pick([`${key} `, `${key}2`, `\n${key}`, key.toUpperCase(), '', ...known]);
    return draw.pick([[], [other], [key, other], [key, key]]);
  }

  function printText(text: string) {
    if (escapes === 0) return JSON.stringify(text);
    const characters = Array.from(text, (character) =>
      draw.chance(escapes) ? escapeUnits(character) : JSON.stringify(character).slice(1, -1),
    );
    return `"${characters.join('')}"`;
  }
}

function escapeUnits(text: string) {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
