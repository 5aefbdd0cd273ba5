import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSpillFile } from '../../src/storage/spill-file.ts';
import { createTestFolder } from '../support/folder.ts';

describe('a spill file', () => {
  it('reads back what was written, from an unnamed file', () => {
    const folder = createTestFolder();
    const places = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.uint8Array({ maxLength: 5000 })));
    fc.assert(
      fc.property(places, (parts) => {
        const spill = openSpillFile(folder)!;
        const expected = Buffer.alloc(30 * 1000);
        for (const [place, bytes] of parts) {
          expected.set(bytes, place * 1000);
          expect(spill.write(bytes, place * 1000)).toBe(true);
        }
        expect(readdirSync(folder)).toEqual([]);
        for (const [place, { length }] of parts) {
          const read = new Uint8Array(length);
          spill.read(read, place * 1000);
          expect(Buffer.from(read).equals(expected.subarray(place * 1000, place * 1000 + length))).toBe(true);
        }
        spill.close();
      }),
    );
  });

  it('is undefined if no file can be created', () => {
    expect(openSpillFile(join(createTestFolder(), 'none'))).toBeUndefined();
  });

  it('throws for bytes that were never written', () => {
    const spill = openSpillFile(createTestFolder())!;
    spill.write(new Uint8Array(10), 0);
    expect(() => spill.read(new Uint8Array(11), 0)).toThrow('nothing was written at 10');
    spill.close();
  });
});
