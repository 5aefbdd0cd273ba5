import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSpillBuffer, type SpillBuffer } from '../../src/storage/spill-buffer.ts';
import { createTestFolder } from '../support/folder.ts';

function textOf(buffer: SpillBuffer): string {
  return Buffer.concat(Array.from(buffer.read(), (block) => new Uint8Array(block))).toString();
}

describe('a spill buffer', () => {
  it('gives back what was put in, in order, from memory or from a file without a name', () => {
    const folder = createTestFolder();
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.integer({ min: 1, max: 30_000 })),
          { maxLength: 12 },
        ),
        fc.constantFrom(0, 300_000, 1e9),
        (pieces, memoryBytes) => {
          const buffer = createSpillBuffer({ folder, memoryBytes });
          const texts = pieces.map(([text, times]) => text.repeat(times));
          for (const text of texts) buffer.write(text);
          expect(readdirSync(folder)).toEqual([]);
          expect(buffer.bytes).toBe(Buffer.byteLength(texts.join('')));
          expect(textOf(buffer)).toBe(texts.join(''));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is empty when nothing was put in, and after it was read or closed', () => {
    expect(textOf(createSpillBuffer())).toBe('');
    const read = createSpillBuffer({ memoryBytes: 0 });
    read.write('x');
    expect([textOf(read), textOf(read)]).toEqual(['x', '']);
    const closed = createSpillBuffer({ memoryBytes: 0 });
    closed.write('x'.repeat(600_000));
    closed.close();
    closed.close();
    expect(textOf(closed)).toBe('');
  });

  it('keeps small amounts in memory: no file is needed', () => {
    const buffer = createSpillBuffer({ folder: join(createTestFolder(), 'none') });
    buffer.write('x'.repeat(1_000_000));
    expect(textOf(buffer)).toHaveLength(1_000_000);
  });

  it('says when there is no place for the file', () => {
    const buffer = createSpillBuffer({ folder: join(createTestFolder(), 'none'), memoryBytes: 10 });
    expect(() => buffer.write('x'.repeat(300_000))).toThrow('its folder does not exist');
  });
});
