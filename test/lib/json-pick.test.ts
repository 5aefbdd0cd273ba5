import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPick, type WantedKeys } from '../../src/lib/json-pick.ts';
import { type Json, jsonValue, spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const wanted = {
  id: true,
  username: true,
  aKeyOfMoreThanSixteenBytes: true,
  inner: { id: true, deep: { id: true, name: true } },
} as const;
const pick = createPick(wanted)!;

/** What the picking is defined as: JSON.parse, and then only the wanted keys. */
function choose(value: unknown, keys: WantedKeys[string]): unknown {
  if (typeof keys !== 'object' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => choose(item, keys));
  return Object.fromEntries(
    Object.entries(keys).map(([key, inner]) => [
      key,
      Object.hasOwn(value, key) ? choose((value as Record<string, unknown>)[key], inner) : undefined,
    ]),
  );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(`[${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)}]`);
  } catch {
    return undefined;
  }
}

const keys = [
  'id',
  'username',
  'inner',
  'deep',
  'name',
  'aKeyOfMoreThanSixteenBytes',
  'aKeyOfMoreThanSixteenByteZ',
];
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    jsonValue,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...keys, '', 'iD', '__proto__', 'é'), fc.string()), tie('value'), {
      maxKeys: 8,
    }),
  ),
}));

describe('picking from a batch', () => {
  it('gives what JSON.parse gives, less the keys that nobody wants, for any values in any spelling', () => {
    // What is too unusual to be picked is drawn in half of the cases only.
    let picked = 0;
    fc.assert(
      fc.property(
        fc.array(anyValue, { minLength: 1, maxLength: 5 }),
        fc.integer(),
        fc.boolean(),
        (values, seed, plain) => {
          const drawn = seededRandom(seed);
          const random = plain ? () => 0.15 + 0.85 * drawn() : drawn;
          const bytes = Buffer.from(values.map((value) => spellJson(value, random)).join());
          const found = pick(bytes);
          if (found === undefined) return;
          picked++;
          expect(found).toStrictEqual(choose(parse(bytes), wanted));
        },
      ),
      { numRuns: 1500 },
    );
    expect(picked).toBeGreaterThan(150);
  });

  it('leaves to JSON.parse whatever is not JSON, and gives the same for what a slip left whole', () => {
    const slips = Buffer.from('"\\{}[]:,.+-eE019 \n\t\0tfnu/é\x7f\xff', 'latin1');
    fc.assert(
      fc.property(
        fc.array(anyValue, { minLength: 1, maxLength: 3 }),
        fc.integer(),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...slips), fc.constantFrom('replace', 'insert', 'cut')), {
          minLength: 1,
          maxLength: 3,
        }),
        (values, seed, mutations) => {
          const random = seededRandom(seed);
          let bytes = Buffer.from(values.map((value) => spellJson(value, random)).join());
          for (const [place, byte, kind] of mutations) {
            const at = place % (bytes.length + 1);
            const skipped = kind === 'insert' ? at : at + 1;
            const middle = kind === 'cut' ? [] : [byte];
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(skipped)]);
          }
          const found = pick(bytes);
          const expected = choose(parse(bytes), wanted);
          expect(found ?? expected).toStrictEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('checks the grammar of numbers, words and texts exactly', () => {
    const letters = fc.constantFrom(...'{}[]"\\u0e1.-+tfn, :truefalsn/b'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 9 }), (text) => {
        const bytes = Buffer.from(text);
        const found = pick(bytes);
        const expected = choose(parse(bytes), wanted);
        expect(found ?? expected).toStrictEqual(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('takes ordinary exports itself', () => {
    const bytes = Buffer.from(
      `{\n  "id" : "1",\r\n\t"other" : [ {"id":"x"}, 1.5e3, null ],
        "inner" : [ { "name" : "no", "id" : "é\\n\\"", "deep" : { "id" : true, "x" : {} } }, "text" ]}, 7`,
    );
    expect(pick(bytes)).toEqual([{ id: '1', inner: [{ id: 'é\n"', deep: { id: true } }, 'text'] }, 7]);
  });

  it('lets the last of several equal keys win', () => {
    expect(pick(Buffer.from('{"id":1,"id":2,"inner":{"id":1},"inner":null}'))).toEqual([
      { id: 2, inner: null },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['an escape in a key', '{"\\u0069d":1}'],
    ['more levels than it keeps', '['.repeat(5000) + ']'.repeat(5000)],
    ['more than a megabyte', JSON.stringify('x'.repeat(1 << 20))],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x22])],
  ])('leaves %s to JSON.parse', (_, json) => {
    expect(pick(Buffer.from(json as string))).toBeUndefined();
  });

  it('reads a short batch after a long one', () => {
    const long = `[${'"0123456789abcdef",'.repeat(3000)}1]`;
    for (const json of [long, '"a"', '[1', long, '1', '"a', '{"id":"']) {
      expect(pick(Buffer.from(json))).toEqual(parse(Buffer.from(json)));
    }
  });

  it('finds keys of any length up to 32 bytes, and none that only looks like one', () => {
    const names = Array.from({ length: 32 }, (_, n) => 'abcdefghijklmnopqrstuvwxyz012345'.slice(0, n + 1));
    for (const name of names) {
      const one = createPick({ [name]: true })!;
      for (let at = 0; at < name.length; at++) {
        const other = `${name.slice(0, at)}_${name.slice(at + 1)}`;
        const bytes = Buffer.from(JSON.stringify({ [other]: 0, [name]: at, [`${name}x`]: 0 }));
        expect(one(bytes)).toEqual([{ [name]: at }]);
      }
    }
  });

  it('refuses keys that it cannot tell apart', () => {
    expect(() => createPick({ abc: true, abd: true })).toThrow(RangeError);
    expect(() => createPick({ ['x'.repeat(33)]: true })).toThrow(RangeError);
  });
});
