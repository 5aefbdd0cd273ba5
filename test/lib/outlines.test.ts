import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPick } from '../../src/lib/json-pick.ts';
import { outlineOf } from '../../src/lib/outline-steps.ts';
import { row } from '../../src/lib/stencil-layout.ts';
import { createStencils, type Pressed, type Stencils } from '../../src/lib/stencils.ts';
import { copy, expectCopies, type Item, seed, wanted } from '../support/copied-items.ts';
import { spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const countOutlined = ({ rows, values }: Pressed): number =>
  values.filter((_, place) => rows[place * row.words + row.outlined] === 1).length;

/** As an export writes it, with keys that nobody wants. */
const spell = ({ id, login, ...item }: Item, more: object = {}): string =>
  JSON.stringify(
    { id, made: 1_600_000_000, login, ...item, note: 'nobody wants it', tags: [], ...more },
    null,
    2,
  );
const batchOf = (...elements: readonly string[]): Buffer => Buffer.from(elements.join(', '));

/** After which elements with other texts need no tape. */
function learn(...elements: readonly string[]): Stencils {
  const stencils = createStencils(wanted, {}, seed)!;
  for (let round = 0; round < 3; round++) stencils.press(batchOf(...elements), copy);
  return stencils;
}

const ann = {
  id: 'one',
  login: 'ann.of.the.north@example.org',
  name: 'Ann "Q" Example',
  mail: 'ann@example.org',
  secrets: [{ data: JSON.stringify({ value: 'QUJDREVGR0hJSktM', iv: 'x' }) }],
};
const ben = {
  id: 'no-2',
  login: 'Ben.from.the.south@example.org',
  name: 'Бен Example',
  mail: 'b@example.org',
  secrets: [{ data: JSON.stringify({ value: 'bm9ib2R5IGtub3dz', iv: 'x' }) }],
};
const plain = { ...ann, name: 'Ann Example' };

describe('an outline', () => {
  it('is what an element has between the texts that may differ', () => {
    const element = spell(plain, { count: -5, share: 0.5 });
    const steps = outlineOf(Buffer.from(element), wanted, ['QUJDREVGR0hJSktM'])!;
    expect(steps.map(({ literal, kind, length }) => [String(literal), kind, length])).toEqual([
      ['{\n  "id": "', 'word', 0],
      ['",\n  "made": ', 'number', 0],
      [',\n  "login": "', 'userName', 0],
      ['",\n  "name": "', 'name', 0],
      ['",\n  "mail": "', 'address', 0],
      ['",\n  "secrets": [\n    {\n      "data": "{\\"value\\":\\"', 'secret', 16],
      ['\\",\\"iv\\":\\"x\\"}"\n    }\n  ],\n  "note": "', 'text', 0],
      ['",\n  "tags": [],\n  "count": ', 'number', 0],
      [',\n  "share": 0.5\n}', 'end', 0],
    ]);
  });

  it.each([
    ['an escape in a text that may differ', String.raw`{"id":"a\nb"}`, []],
    ['an escape in a text that nobody wants', String.raw`{"id":"a","x":"\u0041"}`, []],
    ['an escape in a key', String.raw`{"i\u0064":"a"}`, []],
    [
      'a secret that stands there in another way',
      String.raw`{"secrets":[{"data":"{\"value\" : \"QUJD\"}"}]}`,
      ['QUJD'],
    ],
  ])('is not taken of an element with %s', (_, element, secrets) => {
    expect(outlineOf(Buffer.from(element), wanted, secrets)).toBeUndefined();
  });

  it('stands for elements with other texts and numbers', () => {
    const stencils = learn(spell(plain), spell({ ...plain, id: 'two' }));
    const pressed = stencils.press(batchOf(spell(ben, { made: 0, note: '' })), copy)!;
    expect(countOutlined(pressed)).toBe(1);
    expect(expectCopies(pressed, [ben])).toBe(1);
  });

  it('stands for names with quotes and backslashes, which are written as they stand', () => {
    const stencils = learn(spell(plain), spell({ ...plain, id: 'two' }));
    const people = ['"', '\\', 'a "b" \\\\ "', '\\"'].map((name) => ({ ...ben, name }));
    const pressed = stencils.press(batchOf(...people.map((one) => spell(one))), copy)!;
    expect(countOutlined(pressed)).toBe(4);
    expect(expectCopies(pressed, people)).toBe(4);
    // As long as a name may be, and one more.
    const long = [50, 51].map((length) => ({ ...ben, name: '"'.repeat(length) }));
    const pressedLong = stencils.press(batchOf(...long.map((one) => spell(one))), copy)!;
    expect(countOutlined(pressedLong)).toBe(1);
    expectCopies(pressedLong, long);
  });

  it.each([
    ['another key', spell(ben, { later: 1 })],
    ['a text that is not plain', spell({ ...ben, id: 'a b' })],
    ['another escape in a name', spell({ ...ben, name: 'a/b' }).replace('a/b', 'a\\/b')],
    ['a backslash at its end', spell(ben).replace('Бен', 'a\\u0042')],
    ['an empty text', spell({ ...ben, name: '' })],
    ['no text', spell({ ...ben, name: 5 })],
    ['a fraction', spell(ben, { made: 0.5 })],
    [
      'a secret of another length',
      spell({ ...ben, secrets: [{ data: '{"value":"QUJDREVGR0hJSktMTU4=","iv":"x"}' }] }),
    ],
    ['too few bytes', spell({ ...ben, login: 'b', name: 'c', mail: 'a@b' })],
  ])('leaves an element with %s to the tape', (_, element) => {
    const stencils = learn(spell(plain), spell({ ...plain, id: 'two' }));
    const pressed = stencils.press(batchOf(spell(ben), element, spell(ben)), copy)!;
    expect([0, 1, 2].map((place) => pressed.rows[place * row.words + row.outlined])).toEqual([1, 0, 1]);
    const [value] = createPick(wanted)!(Buffer.from(element))!;
    expectCopies(pressed, [ben, value, ben]);
  });

  it.each([
    ['a number with a leading zero', (text: string) => text.replace('1600000000', '0160')],
    ['a sign alone', (text: string) => text.replace('1600000000', '-')],
    ['a control character', (text: string) => text.replace('nobody', 'no\tbody')],
    ['no comma behind it', (text: string) => `${text} ${text}`],
    ['two commas behind it', (text: string) => `${text},,${text}`],
    ['a comma at the end', (text: string) => `${text},`],
    ['something behind it', (text: string) => `${text}]`],
    ['no end', (text: string) => text.slice(0, -1)],
    ['an open text', (text: string) => text.slice(0, text.indexOf('nobody') + 3)],
  ])('does not make JSON of %s', (_, change) => {
    const stencils = learn(spell(plain), spell({ ...plain, id: 'two' }));
    const intact = spell(ben);
    expect(countOutlined(stencils.press(Buffer.from(intact), copy)!)).toBe(1);
    expect(stencils.press(Buffer.from(change(intact)), copy)).toBeUndefined();
  });

  it('is forgotten with its stencil', () => {
    const stencils = learn(spell(plain), spell({ ...plain, id: 'two' }));
    stencils.standOn('another ground');
    expect(countOutlined(stencils.press(batchOf(spell(ben)), copy)!)).toBe(0);
  });

  it('is taught to another thread with its stencil', () => {
    const teacher = learn(spell(plain), spell({ ...plain, id: 'two' }));
    const pupil = createStencils(wanted, {}, seed)!;
    pupil.adopt(structuredClone(teacher.lesson()));
    const pressed = pupil.press(batchOf(spell(ben)), copy)!;
    expect(countOutlined(pressed)).toBe(1);
    expectCopies(pressed, [ben]);
  });

  it('is never needed: where there is no room for more, elements are read from their tapes', () => {
    const stencils = createStencils(wanted, {}, seed)!;
    let outlined = 0;
    let records = 0;
    for (let kind = 0; kind < 700; kind++) {
      const more = { [`${'k'.repeat(1500)}${kind}`]: null, flag: kind % 2 === 0 };
      const plan = kind % 40;
      const elements = [plain, ben].map((item) => spell({ ...item, plan }, more));
      for (let round = 0; round < 3; round++) {
        const pressed = stencils.press(batchOf(...elements), copy)!;
        expectCopies(pressed, [
          { ...plain, plan },
          { ...ben, plan },
        ]);
        outlined += countOutlined(pressed);
        records += 2;
      }
    }
    expect(outlined).toBeGreaterThan(200);
    expect(outlined).toBeLessThan(records / 2);
  });

  it('changes nothing, whatever happens to the bytes of an element', () => {
    const item = fc.record({
      id: fc.stringMatching(/^[a-z0-9-]{1,8}$/),
      login: fc.stringMatching(/^[a-z.]{20,30}@example\.org$/),
      name: fc.constantFrom('Ann', 'Zoë Ωmega', '李 小龙', 'Ann "Q"', '\\"'),
      mail: fc.constantFrom('a@b', 'long.address+x@example-1.org', '.a@b'),
      plan: fc.constantFrom(1, true, 'gold'),
      secrets: fc.array(
        fc.record({
          data: fc.stringMatching(/^[A-Za-z0-9+/]{16}$/).map((value) => JSON.stringify({ value })),
        }),
        { maxLength: 1 },
      ),
    });
    const change = fc.record({
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 3 }),
      put: fc.oneof(
        fc.constantFrom(
          ...Array.from('"\\{}[]:, \n0-9.eaA@=+/\u0001\u007f'),
          '',
          '\\"',
          '","x":"',
          '0',
          '\\u0041',
          'é',
        ),
        fc.constantFrom('id', 'name', '"id":"z"', 'null', '{}', '},{'),
      ),
    });
    const pick = createPick(wanted)!;
    let outlined = 0;
    let broken = 0;
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 4 }),
        fc.array(change, { maxLength: 2 }),
        fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.integer()),
        (items, changes, number) => {
          const write = (one: Item): string => {
            if (number === null) return spell(one);
            return spellJson(one as never, seededRandom(number));
          };
          const known = items.map(({ id, login, ...more }) => ({
            id: `${id}-k`,
            login: `k.${login}`,
            ...more,
          }));
          const stencils = learn(...known.map(write));
          let text = items.map(write).join(', ');
          for (const { at, cut, put } of changes) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + put + text.slice(place + cut);
          }
          const bytes = Buffer.from(text);
          const values = pick(bytes);
          const pressed = stencils.press(bytes, copy);
          expect(pressed === undefined).toBe(values === undefined);
          if (pressed === undefined || values === undefined) {
            broken++;
            return;
          }
          expectCopies(pressed, values);
          outlined += countOutlined(pressed);
        },
      ),
      { numRuns: 400 },
    );
    expect(outlined).toBeGreaterThan(60);
    expect(broken).toBeGreaterThan(100);
  });
});
