import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peekShape } from '../../src/json/shape.ts';
import { jsonValue, spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

describe('peeking at the shape of JSON', () => {
  it.each([
    ['{"id":"demo","realm" : "x" , "users":[{"id":1}]}', 'object', ['id', 'realm', 'users'], 'unseen'],
    ['[ {"username":"a","x":[1,{"y":2}]}, {"z":1} ]', 'array', ['username', 'x'], 'unseen'],
    ['{"a\\u0062\\"":"}","c":{"d":1},"e":[[{"f":"]"}]],"g":tru', 'object', ['ab"', 'c', 'e', 'g'], 'unseen'],
    ['{"a":1,"b', 'object', ['a'], 'unseen'],
    ['{"a":1,"b"', 'object', ['a'], 'unseen'],
    ['{"a":1,"b":', 'object', ['a', 'b'], 'unseen'],
    ['{"a":1,,"b":2}', 'object', ['a'], 'unseen'],
    ['{}', 'object', [], 'unseen'],
    ['[]', 'array', [], 'unseen'],
    ['[[1]]', 'array', [], 'unseen'],
    ['"text"', 'scalar', [], 'unseen'],
    ['-1', 'scalar', [], 'unseen'],
    ['null\n', 'scalar', [], 'unseen'],
    ['', 'empty', [], 'unseen'],
    [' \r\n\t', 'empty', [], 'unseen'],
    ['id,username\n1,a', 'other', [], 'unseen'],
    ['<html>', 'other', [], 'unseen'],
    ['realm: demo', 'other', [], 'unseen'],
    ['unknown', 'other', [], 'unseen'],
    ['{"a":1}\n{"b":2}\n', 'object', ['a'], 'line'],
    ['{"a":1}\r\n\r\n{"b"', 'object', ['a'], 'line'],
    ['{"a":1} {"b":2}', 'object', ['a'], 'value'],
    ['{"a":1}{"b":2}', 'object', ['a'], 'value'],
    ['{\n"a":1\n}\n{\n"b":2}', 'object', ['a'], 'value'],
    ['{"a":1}]', 'object', ['a'], 'garbage'],
    ['{"a":1},{"b":2}', 'object', ['a'], 'garbage'],
    ['1 2', 'scalar', [], 'value'],
  ])('of %j', (text, root, keys, next) => {
    expect(peekShape(Buffer.from(text))).toEqual({ root, keys, next });
  });

  it('sees the keys of any object, and never throws wherever the head breaks off', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 5 }), jsonValue, { maxKeys: 5 }),
        fc.integer(),
        (object, seed) => {
          const text = Buffer.from(spellJson(object, seededRandom(seed)));
          const keys = Object.keys(JSON.parse(text.toString()) as object);
          expect(peekShape(text).keys.toSorted()).toEqual(keys.toSorted());
          for (let end = 0; end < text.length; end++) {
            const seen = peekShape(text.subarray(0, end)).keys;
            expect(keys).toEqual(expect.arrayContaining([...seen]));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
