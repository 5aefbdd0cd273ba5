import { expect, it } from 'vitest';
import { isObject, tryParseJson } from '../../src/lib/json-value.ts';

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
