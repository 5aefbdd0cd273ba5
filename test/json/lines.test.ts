import { describe, expect, it } from 'vitest';
import { batchMemory } from '../../src/lib/batch-memory.ts';
import { JsonSyntaxError } from '../../src/json/error.ts';
import { linesIn, parseLines } from '../../src/json/line-values.ts';
import { scanLines, type LineOptions } from '../../src/json/lines.ts';
import { blocksOf } from '../support/memory-input.ts';

/** Every value with its line and its offset; a broken line gives its problem's offset in the input as value. */
async function read(text: string, options: LineOptions, sizes?: number | readonly number[]) {
  const bytes = Buffer.from(text, 'latin1');
  const found: [value: unknown, line: number, offset: number][] = [];
  for await (const item of scanLines(blocksOf(bytes, sizes), options)) {
    if (item.kind === 'long') {
      found.push([`long ${item.length}`, item.line, item.offset]);
      continue;
    }
    expect(Buffer.from(item.bytes)).toEqual(bytes.subarray(item.offset, item.offset + item.bytes.length));
    const values = [...parseLines(item)];
    expect(values).toHaveLength(item.count);
    for (const [place, value] of values.entries()) {
      const { line, offset } = linesIn(item)[place]!;
      const told = value instanceof JsonSyntaxError ? `${value.code} ${offset + value.offset}` : value;
      found.push([told, line, offset]);
    }
    const { buffer } = item.bytes;
    // It belongs to the reader, and may be used again: a reader that still looks at it sees this.
    new Uint8Array(buffer).fill(0x0a);
    batchMemory.release(buffer);
  }
  return found;
}

describe('reading lines', () => {
  it('returns value, number and place of every line, with any blocks and batches', async () => {
    const text = '\n{"a":1}\r\n\r\n  \t\n [2]  \n"x"\n{"b":\n7\n{"c":"\xff"}\n1,2\n{}{}\n8';
    for (let size = 1; size <= text.length; size++) {
      for (const batchBytes of [1, 15, 1000]) {
        expect(await read(text, { batchBytes }, size)).toEqual([
          [{ a: 1 }, 2, 1],
          [[2], 5, 16],
          ['x', 6, 23],
          ['input:truncated 32', 7, 27],
          [7, 8, 33],
          ['input:invalid-utf8 41', 9, 35],
          ['input:syntax 45', 10, 45],
          ['input:syntax 51', 11, 49],
          [8, 12, 54],
        ]);
      }
    }
  });

  it('skips a line beyond the limit and reports its place', async () => {
    const text = `1\n"${'x'.repeat(50)}"\n\n3\n"${'y'.repeat(18)}"`;
    for (const size of [1, 7, 1000]) {
      expect(await read(text, { maxLineBytes: 20 }, size)).toEqual([
        [1, 1, 0],
        ['long 53', 2, 2],
        [3, 4, 56],
        ['y'.repeat(18), 5, 58],
      ]);
    }
  });
});
