import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpillFile } from '../../src/compact/seen-log.ts';
import { SeenSet } from '../../src/compact/seen-set.ts';
import { createGrowableMemory } from '../../src/compact/growable-memory.ts';

import { seededRandom } from '../support/seeded-random.ts';

describe('a seen set', () => {
  it.each([
    ['5 bytes', 'is known', 5.1],
    ['4.4 to 6.6 bytes', 'is not known', 6.7],
  ])('takes %s a hash when the final size %s', (_, known, most) => {
    const memory = createGrowableMemory();
    const count = 2_000_000;
    const options = known === 'is known' ? { expect: () => count } : {};
    const seen = new SeenSet({ createMemory: () => memory, ...options });
    const random = seededRandom(5);
    const perHash: number[] = [];
    for (let n = 1; n <= count; n++) {
      seen.add(Math.floor(random() * 2 ** 32), Math.floor(random() * 2 ** 32));
      if (n % 20_000 === 0 && (n === count || n > count / 3)) perHash.push(memory.buffer.byteLength / n);
    }
    expect(seen.size).toBe(count);
    expect(known === 'is known' ? perHash.at(-1) : Math.max(...perHash)).toBeLessThan(most);
  });

  it('works for hashes that all map to one slot, at either end of the table', () => {
    for (const hi of [0, 2 ** 32 - 1]) {
      const seen = new SeenSet();
      const random = seededRandom(1);
      const hashes = Array.from({ length: 5000 }, () => Math.floor(random() * 2 ** 32));
      const first = hashes.map((lo) => seen.add(hi, lo));
      const second = hashes.map((lo) => seen.add(hi, lo));
      expect(new Set(first)).toEqual(new Set([-1]));
      expect(second).toEqual(hashes.map((_, n) => n));
    }
  });

  it('distinguishes hashes that differ in a single bit', () => {
    const seen = new SeenSet();
    const hashes: (readonly [number, number])[] = [[0x1234_5678, 0x9abc_def0]];
    for (let bit = 0; bit < 32; bit++) {
      hashes.push([0x1234_5678 ^ (1 << bit), 0x9abc_def0], [0x1234_5678, 0x9abc_def0 ^ (1 << bit)]);
    }
    expect(new Set(hashes.map(([hi, lo]) => seen.add(hi, lo)))).toEqual(new Set([-1]));
    expect(hashes.map(([hi, lo]) => seen.add(hi, lo))).toEqual(hashes.map((_, n) => n));
  });

  describe('with a spill file', () => {
    const expectation = fc.oneof(
      fc.integer({ min: -1000, max: 200_000 }),
      fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    const run = fc.record({
      seed: fc.integer(),
      additions: fc.integer({ min: 1, max: 80_000 }),
      /** How many different hashes there are. */
      different: fc.integer({ min: 1, max: 100_000 }),
      memoryBytes: fc.constantFrom(0, 200_000, 500_000, 1e9),
      /** Writes that succeed before the file is full, and writes that fail then. */
      room: fc.integer({ min: 0, max: 8 }),
      full: fc.constantFrom(0, 1, 3, 1000),
      expectations: fc.array(expectation, { minLength: 1, maxLength: 3 }),
    });

    it('does what a Map does, with any part in memory and any expected size', () => {
      fc.assert(
        fc.property(run, ({ seed, additions, different, memoryBytes, room, full, expectations }) => {
          const random = seededRandom(seed);
          const hashes = Uint32Array.from({ length: 2 * different }, () => Math.floor(random() * 2 ** 32));
          const file = createFullSpillFile(room, full);
          let calls = 0;
          const seen = new SeenSet({
            openSpillFile: () => file,
            memoryBytes,
            expect: () => expectations[calls++ % expectations.length]!,
          });
          const ordinals = new Map<string, number>();
          let wrong = 0;
          for (let n = 0; n < additions; n++) {
            const at = 2 * Math.floor(random() * different);
            const [hi, lo] = [hashes[at]!, hashes[at + 1]!];
            const key = `${hi} ${lo}`;
            const first = ordinals.get(key);
            // Ordinals in any order, and many of them the same.
            const ordinal = Math.floor(random() * 2 ** (n % 33));
            if (seen.add(hi, lo, Math.min(ordinal, 2 ** 32 - 2)) !== (first ?? -1)) wrong++;
            if (first === undefined) ordinals.set(key, Math.min(ordinal, 2 ** 32 - 2));
          }
          expect([wrong, seen.size]).toEqual([0, ordinals.size]);
        }),
        { numRuns: 30 },
      );
    });

    it('has what exceeds the memory, of which only requested rows are read back', () => {
      const file = createFullSpillFile(1000, 0);
      const seen = new SeenSet({
        openSpillFile: () => file,
        memoryBytes: 0,
        expect: () => 100_000,
      });
      for (let n = 0; n < 100_000; n++) addNumber(seen, n);
      expect(file.written).toBeGreaterThan(12 * 80_000);
      const before = file.wasRead;
      expect(addNumber(seen, 777)).toBe(777);
      expect(file.wasRead - before).toBeLessThan(100);
    });

    it('is not opened for few hashes, is closed once, and is optional', () => {
      let opened = 0;
      let closed = 0;
      const openSpillFile = (): SpillFile => {
        opened++;
        return { ...createFullSpillFile(1000, 0), close: () => closed++ };
      };
      const few = new SeenSet({ openSpillFile });
      for (let n = 0; n < 10_000; n++) addNumber(few, n);
      few.close();
      expect([opened, closed]).toEqual([0, 0]);
      const many = new SeenSet({ openSpillFile, memoryBytes: 0 });
      for (let n = 0; n < 40_000; n++) addNumber(many, n);
      many.close();
      many.close();
      expect([opened, closed]).toEqual([1, 1]);
      expect(() => addNumber(many, 5)).toThrow('closed');
      const without = new SeenSet({ openSpillFile: () => undefined, memoryBytes: 0 });
      for (let n = 0; n < 40_000; n++) addNumber(without, n);
      expect(addNumber(without, 5)).toBe(5);
    });
  });
});

function addNumber(seen: SeenSet, number: number): number {
  return seen.add(Math.imul(number, 0x9e37_79b9), Math.imul(number, 0x85eb_ca6b), number);
}

/** Accepts `room` writes, fails the next `full` ones, and accepts all later ones. */
function createFullSpillFile(
  room: number,
  full: number,
): SpillFile & { readonly written: number; readonly wasRead: number } {
  const bytes = Buffer.alloc(4_000_000, 0xff);
  let writes = 0;
  let written = 0;
  let read = 0;
  return {
    write(part, at) {
      writes++;
      const fits = writes <= room || writes > room + full;
      // A write that fails may have written a part.
      bytes.set(fits ? part : part.subarray(0, 1000), at);
      written += fits ? part.length : 0;
      return fits;
    },
    read(into, at) {
      into.set(bytes.subarray(at, at + into.length));
      read += into.length;
    },
    close() {},
    get written() {
      return written;
    },
    get wasRead() {
      return read;
    },
  };
}
