import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peekShape } from '../../src/json/shape.ts';

describe('the JSON shape', () => {
  it.each([
    ['{"id":"demo","realm" : "x" , "users":[{"id":1}]}', 'object', ['id', 'realm', 'users']],
    ['[ {"username":"a","x":[1,{"y":2}]}, {"z":1} ]', 'array', ['username', 'x']],
    ['{"a\\u0062\\"":"}","c":{"d":1},"e":[[{"f":"]"}]],"g":tru', 'object', ['ab"', 'c', 'e', 'g']],
    ['{"a":1,"b', 'object', ['a']],
    ['{"a":1,"b"', 'object', ['a']],
    ['{"a":1,"b":', 'object', ['a', 'b']],
    ['{}', 'object', []],
    ['[]', 'array', []],
    ['[ [ {"a":1}]', 'pages', ['a']],
    ['"text"', undefined, []],
    ['', undefined, []],
    ['id,username\n1,a', undefined, []],
    ['{"a":1}\n{"b":2}\n', 'object', ['a']],
  ])('of %j', (text, root, keys) => {
    expect(peekShape(Buffer.from(text))).toEqual({ root, keys });
  });

  it('has the keys of any object, and never throws for a cut head', () => {
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
