import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tryParseJson } from '../../src/lib/json-value.ts';
import { mutated } from '../support/mcf.ts';
import { JsonSyntaxError } from '../../src/json/error.ts';
import { parseElements } from '../../src/json/parse.ts';
import { checkJson } from '../../src/json/scan.ts';

function failureOf(bytes: Uint8Array | string) {
  try {
    Array.from(parseElements(Buffer.from(bytes)));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { code: error.code, offset: error.offset };
  }
  return undefined;
}

describe('parsing a batch of JSON', () => {
  it('returns nothing for no bytes', () => {
    expect([...parseElements(new Uint8Array(0))]).toEqual([]);
  });

  it.each([
    ['"\\é"', 2],
    ['"\\\\\\é"', 4],
    ['"\\u00é"', 5],
    ['é', 0],
    ['1,é', 2],
    ['1,', 2],
    [',1', 0],
    ['1],[2', 1],
    ['[1] ] ', 4],
    ['{"a":[1', 7],
    ['1}', 1],
    ['{"a":"é"', 9],
    ['{"a":"é","b":}', 14],
  ])('refuses %j at byte %i', (text, offset) => {
    expect(failureOf(text)?.offset).toBe(offset);
  });

  it('reports where bytes are not UTF-8', () => {
    const bytes = Buffer.from([0x22, 0xc3, 0xa9, 0xe2, 0x82, 0x22]);
    expect(failureOf(bytes)).toEqual({ code: 'input:invalid-utf8', offset: 3 });
  });

  it('returns the same elements as JSON.parse, or fails as it does', () => {
    const sound = fc.array(fc.jsonValue({ maxDepth: 2 })).map((list) => JSON.stringify(list).slice(1, -1));
    fc.assert(
      fc.property(fc.oneof(sound, mutated(sound)), (text) => {
        const expected = tryParseJson(`[${text}]`);
        expect(failureOf(text) === undefined ? [...parseElements(Buffer.from(text))] : undefined).toEqual(
          expected,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps a name like __proto__ as a key of the object', () => {
    const [value] = [...parseElements(Buffer.from('{"__proto__":{"admin":true}}'))] as [object];
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect('admin' in value).toBe(false);
  });
});

it('checking JSON fails exactly if JSON.parse does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('{}[],:"\\u0e1.-+tfn ')), maxLength: 9 }),
      (text) => {
        expect(checkJson(Buffer.from(text)) === undefined).toBe(tryParseJson(text) !== undefined);
      },
    ),
    { numRuns: 20_000 },
  );
});
