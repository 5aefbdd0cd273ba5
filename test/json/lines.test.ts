import { describe, expect, it } from 'vitest';
import { batchMemory } from '../../src/lib/batch-memory.ts';
import { JsonSyntaxError } from '../../src/json/error.ts';
import { linesIn, parseLines } from '../../src/json/line-values.ts';
import { scanLines, type LineOptions } from '../../src/json/lines.ts';
import { blocksOf } from '../support/memory-input.ts';

interface ReadLine {
  readonly value: unknown;
  readonly line: number;
  readonly offset: number;
}

/** Every value with where it was found; a broken line gives its problem's offset in the input as value. */
async function read(text: string, options: LineOptions, sizes?: number | readonly number[]) {
  const bytes = Buffer.from(text, 'latin1');
  const found: ReadLine[] = [];
  for await (const item of scanLines(blocksOf(bytes, sizes), options)) {
    if (item.kind === 'long') {
      const { line, offset, length } = item;
      found.push({ value: `long ${length}`, line, offset });
      continue;
    }
    expect(Buffer.from(item.bytes)).toEqual(bytes.subarray(item.offset, item.offset + item.bytes.length));
    const values = [...parseLines(item)];
    expect(values).toHaveLength(item.count);
    for (const [place, value] of values.entries()) {
      const { line, offset } = linesIn(item)[place]!;
      const told = value instanceof JsonSyntaxError ? `${value.code} ${offset + value.offset}` : value;
      found.push({ value: told, line, offset });
    }
    const { buffer } = item.bytes;
    // It belongs to the reader, and may be used again: a reader that still looks at it sees this.
    new Uint8Array(buffer).fill(0x0a);
    batchMemory.release(buffer);
  }
  return found;
}

describe('reading lines', () => {
  it('gives the value, the number and the place of every line, whatever blocks and batches', async () => {
    const text = '\n{"a":1}\r\n\r\n  \t\n [2]  \n"x"\n{"b":\n7\n{"c":"\xff"}\n1,2\n{}{}\n8';
    for (let size = 1; size <= text.length; size++) {
      for (const batchBytes of [1, 15, 1000]) {
        expect(await read(text, { batchBytes }, size)).toEqual([
          { value: { a: 1 }, line: 2, offset: 1 },
          { value: [2], line: 5, offset: 16 },
          { value: 'x', line: 6, offset: 23 },
          { value: 'input:truncated 32', line: 7, offset: 27 },
          { value: 7, line: 8, offset: 33 },
          { value: 'input:invalid-utf8 41', line: 9, offset: 35 },
          { value: 'input:syntax 45', line: 10, offset: 45 },
          { value: 'input:syntax 51', line: 11, offset: 49 },
          { value: 8, line: 12, offset: 54 },
        ]);
      }
    }
  });

  it('passes over a line beyond the limit and tells its place', async () => {
    const text = `1\n"${'x'.repeat(50)}"\n\n3\n"${'y'.repeat(18)}"`;
    for (const size of [1, 7, 1000]) {
      expect(await read(text, { maxLineBytes: 20 }, size)).toEqual([
        { value: 1, line: 1, offset: 0 },
        { value: 'long 53', line: 2, offset: 2 },
        { value: 3, line: 4, offset: 56 },
        { value: 'y'.repeat(18), line: 5, offset: 58 },
      ]);
    }
  });
});
