import { array, assert, constantFrom, integer, oneof, property, uint8Array } from 'fast-check';
import { expect, it } from 'vitest';
import { findMarks, findMarksSlowly } from '../../src/lib/json-marks.ts';
import { createWideMarks } from '../../src/lib/json-marks-wasm.ts';

const byte = oneof(
  constantFrom(0x22, 0x5c, 0x0a, 0x1f, 0x20, 0x21, 0x7f, 0x80, 0xff, 0xa2),
  integer({ min: 0, max: 255 }),
);
const bytes = oneof(
  array(byte, { maxLength: 300 }).map((list) => Uint8Array.from(list)),
  uint8Array({ maxLength: 300 }),
);

it('the marks of some bytes are their quotes, backslashes and control characters', () => {
  expect([...findMarksSlowly(Buffer.from('{"a\\n":\t"é"}\n'))]).toEqual([1, 3, 5, 7, 8, 11, 13]);
});

it('wide registers find the same, whatever was there before', () => {
  const wide = createWideMarks();
  expect(wide).toBeDefined();
  assert(
    property(bytes, bytes, (one, other) => {
      for (const some of [one, other]) expect([...wide!.find(some)]).toEqual([...findMarksSlowly(some)]);
    }),
    { numRuns: 500 },
  );
});

it('a large block is all marks if need be', () => {
  const large = new Uint8Array(1_000_003).fill(0x22);
  expect(findMarks(large).length).toBe(large.length);
  expect(findMarks(large).at(-1)).toBe(large.length - 1);
  expect(findMarks(new Uint8Array(0)).length).toBe(0);
});
