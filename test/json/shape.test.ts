import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peekShape } from '../../src/json/shape.ts';

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
    ['[[1]]', 'pages', [], 'unseen'],
    ['[ [ {"a":1}]', 'pages', ['a'], 'unseen'],
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
        fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), {
          maxKeys: 3,
        }),
        (object) => {
          const text = Buffer.from(JSON.stringify(object));
          const keys = Object.keys(object);
          expect(peekShape(text).keys.toSorted()).toEqual(keys.toSorted());
          for (let end = 0; end < text.length; end++) {
            const seen = peekShape(text.subarray(0, end)).keys;
            expect(keys).toEqual(expect.arrayContaining([...seen]));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
