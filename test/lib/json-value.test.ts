import { expect, it } from 'vitest';
import { isObject, keepDigits, tryParseJson } from '../../src/lib/json-value.ts';

it('an object is neither null nor an array', () => {
  const texts = ['{}', '{"a":1}', '[]', 'null', '1', '"{}"'];
  expect(texts.map((text) => isObject(tryParseJson(text)))).toEqual([true, true, false, false, false, false]);
});

it('a text that is not JSON is undefined', () => {
  expect(['', '{', 'undefined', '{"a":1} x'].map(tryParseJson)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('integers that JSON.parse would round are kept as text', () => {
  const json =
    '{"a":9007199254740993,"b":[-9007199254740993,1e400,1.2345678901234567],"c":"9007199254740993 \\"12345678901234567890"}';
  expect(keepDigits(json)).toBe(
    json.replace('9007199254740993,', '"9007199254740993",').replace(/-\d+/, '"$&"'),
  );
  expect(keepDigits('{"a":9007199254740991}\n{"b":"')).toBe('{"a":9007199254740991}\n{"b":"');
});
