import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSpillFile } from '../../src/storage/spill-file.ts';
import { createTestFolder } from '../support/folder.ts';

describe('a spill file', () => {
  it('gives back what was put at any place, from a file without a name', () => {
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

  it('is none where no file can be made', () => {
    expect(openSpillFile(join(createTestFolder(), 'none'))).toBeUndefined();
  });

  it('does not make up what no one put there', () => {
    const spill = openSpillFile(createTestFolder())!;
    spill.write(new Uint8Array(10), 0);
    expect(() => spill.read(new Uint8Array(11), 0)).toThrow('nothing was written at 10');
    spill.close();
  });
});
