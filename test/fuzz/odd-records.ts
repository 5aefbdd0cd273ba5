/**
 * Changes a record as strange programs would, and prints it as they would: odd types, keys twice, escapes, white space.
 */
import type { Draw } from './draw.ts';

type Fields = Record<string, unknown>;

/** JSON text that no value of JavaScript becomes. */
class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  '',
  ' ',
  [],
  {},
  [[]],
  [null],
  { a: { b: [1, 'x'] } },
  'x'.repeat(5000),
  'true',
  'a\0b',
  '"},{"id":"x"',
  '+41 44 668 18 00',
  '{"value":1}',
  ...[
    '1e400',
    '-0',
    '1E-400',
    '12345678901234567890',
    '1.0',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83c\\udf88"',
  ].map(raw),
  ...[
    '"\\u0061\\/\\b"',
    `${'['.repeat(300)}${']'.repeat(300)}`,
    `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
  ].map(raw),
];

function raw(text: string) {
  return new RawJson(text);
}

const changes: readonly ((parent: Fields, key: string, draw: Draw) => void)[] = [
  function replace(parent, key, draw) {
    parent[key] = draw.pick(oddValues);
  },
  function wrap(parent, key, draw) {
    parent[key] = draw.chance(0.5) ? [parent[key]] : { value: parent[key] };
  },
  function remove(parent, key) {
    delete parent[key];
  },
  function rename(parent, key, draw) {
    const { [key]: value } = parent;
    delete parent[key];
    parent[draw.pick([`${key} `, `${key}2`, `\n${key}`, key.toUpperCase(), ''])] = value;
  },
  function add(parent, _key, draw) {
    const name = draw.pick([
      'id',
      'username',
      'email',
      'phone',
      'attributes',
      'credentials',
      'users',
      '__proto__',
    ]);
    const value = draw.pick(oddValues);
    Object.defineProperty(parent, name, { value, enumerable: true, writable: true, configurable: true });
  },
];

/** One to three changes at any depth. */
export function makeOdd(record: Fields, draw: Draw) {
  const changed = structuredClone(record);
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const places = listPlaces(changed);
    if (places.length === 0) break;
    const { parent, key } = draw.pick(places);
    draw.pick(changes)(parent, key, draw);
  }
  return changed;
}

function listPlaces(value: unknown): { parent: Fields; key: string }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof RawJson)
    return [];
  const parent = value as Fields;
  return Object.keys(parent).flatMap((key) => [
    { parent, key },
    ...(Array.isArray(parent[key]) ? parent[key].flatMap(listPlaces) : listPlaces(parent[key])),
  ]);
}

export function printOdd(value: unknown, draw: Draw): string {
  const style = {
    space: draw.pick(['', '', ' ', '\n  ', '\t']),
    escapes: draw.pick([0, 0, 0.02, 0.5]),
    shuffled: draw.chance(0.3),
    twice: draw.chance(0.2),
  };
  return print(value, style, draw);
}

type Style = {
  readonly space: string;
  readonly escapes: number;
  readonly shuffled: boolean;
  readonly twice: boolean;
};

function print(value: unknown, style: Style, draw: Draw): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value === 'string') return printText(value, style.escapes, draw);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { space } = style;
  if (Array.isArray(value)) {
    return `[${space}${value.map((item) => print(item, style, draw)).join(`${space},${space}`)}${space}]`;
  }
  const fields = Object.entries(value).map(
    ([key, item]) => `${printText(key, style.escapes, draw)}${space}:${space}${print(item, style, draw)}`,
  );
  if (style.twice && fields.length > 0 && draw.chance(0.3)) {
    const key = printText(draw.pick(Object.keys(value)), style.escapes, draw);
    fields.splice(draw.below(fields.length + 1), 0, `${key}:${print(draw.pick(oddValues), style, draw)}`);
  }
  const ranked = fields.map((text) => ({ text, rank: style.shuffled ? draw.below(1 << 16) : 0 }));
  const ordered = ranked.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text);
  return `{${space}${ordered.join(`${space},${space}`)}${space}}`;
}

function printText(text: string, escapes: number, draw: Draw) {
  if (escapes === 0) return JSON.stringify(text);
  const characters = Array.from(text, (character) =>
    draw.chance(escapes) ? escapeUnits(character) : JSON.stringify(character).slice(1, -1),
  );
  return `"${characters.join('')}"`;
}

function escapeUnits(text: string) {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
