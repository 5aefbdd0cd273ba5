import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpillFile } from '../../src/compact/seen-log.ts';
import { createSeenSet, type Fingerprints } from '../../src/compact/seen-set.ts';
import { createCopiedMemory, createGrowableMemory } from '../../src/compact/growable-memory.ts';
import { hashText } from '../../src/compact/hash-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Few different ones, and such that share their first, middle or last bits. */
const awkwardWord = fc.oneof(
  word,
  fc.constantFrom(0, 1, 0xfff, 0x1000, 0x7fffffff, 0x80000000, 0xfffff000, 0xffffffff),
);

describe('fingerprints', () => {
  it('tells the first holder of every hash', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(awkwardWord, awkwardWord), { maxLength: 400 }), (hashes) => {
        const fingerprints = createSeenSet();
        const holders = new Map<string, number>();
        for (const [hi, lo] of hashes) {
          const key = `${hi} ${lo}`;
          const known = holders.get(key);
          expect(fingerprints.claim(hi, lo)).toBe(known ?? -1);
          if (known === undefined) holders.set(key, holders.size);
        }
        expect(fingerprints.size).toBe(holders.size);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the ordinals it is given', () => {
    const fingerprints = createSeenSet();
    expect(fingerprints.claim(5, 80, 1000)).toBe(-1);
    expect(fingerprints.claim(6, 80, 0)).toBe(-1);
    expect(fingerprints.claim(7, 80, 2 ** 32 - 2)).toBe(-1);
    expect(fingerprints.claim(5, 80, 2000)).toBe(1000);
    expect(fingerprints.claim(6, 80)).toBe(0);
    expect(fingerprints.claim(7, 80)).toBe(2 ** 32 - 2);
  });

  it('changes nothing when it foresees, neither before the claims nor between them', () => {
    const hash = fc.tuple(awkwardWord, awkwardWord);
    // Of the hashes that are foreseen some are claimed already, some later, and some never.
    const batch = fc.record({
      foreseen: fc.array(hash, { maxLength: 60 }),
      more: fc.array(hash, { maxLength: 60 }),
    });
    fc.assert(
      fc.property(
        fc.array(batch, { maxLength: 8 }),
        fc.integer({ min: 2, max: 5 }),
        word,
        (batches, step, mask) => {
          const foreseeing = createSeenSet();
          const plain = createSeenSet();
          const claimed: (readonly [number, number])[] = [];
          for (const { foreseen, more } of batches) {
            const all = [...foreseen, ...claimed];
            const words = new Uint32Array(1 + all.length * step);
            all.forEach((pair, n) => words.set(pair, 1 + n * step));
            const before = words.slice();
            foreseeing.prefetch(words, 1, step, all.length, mask);
            expect(words).toEqual(before);
            expect(foreseeing.size).toBe(plain.size);
            const claims = [...more, ...foreseen.slice(0, foreseen.length / 2), ...claimed.slice(0, 9)];
            const holders = claims.map(([hi, lo]) => foreseeing.claim(hi, lo));
            expect(holders).toEqual(claims.map(([hi, lo]) => plain.claim(hi, lo)));
            claimed.push(...claims);
          }
          const again = claimed.map(([hi, lo]) => foreseeing.claim(hi, lo));
          expect(again).toEqual(claimed.map(([hi, lo]) => plain.claim(hi, lo)));
          expect(foreseeing.size).toBe(plain.size);
        },
      ),
    );
  });

  it.each([
    ['memory that grows in place', createGrowableMemory],
    ['memory that is copied', createCopiedMemory],
  ])('remembers all of many, through every growth, in %s', (_, createMemory) => {
    const fingerprints = createSeenSet({ createMemory });
    const words = new Uint32Array(2);
    const count = 300_000;
    let wrong = 0;
    for (let n = 0; n < count; n++) {
      hashText(`user${n}`, 3, words, 0);
      if (fingerprints.claim(words[0]!, words[1]!) !== -1) wrong++;
    }
    for (let n = 0; n < count; n++) {
      hashText(`user${n}`, 3, words, 0);
      if (fingerprints.claim(words[0]!, words[1]!) !== n) wrong++;
    }
    expect([wrong, fingerprints.size]).toEqual([0, count]);
  });

  it.each([
    ['5 bytes', 'is known', 5.1],
    ['4.4 to 6.6 bytes', 'is not known', 6.7],
  ])('takes %s a hash where the number to come %s', (_, known, most) => {
    const memory = createGrowableMemory();
    const count = 2_000_000;
    const told = known === 'is known' ? { expect: () => count } : {};
    const fingerprints = createSeenSet({ createMemory: () => memory, ...told });
    const random = seededRandom(5);
    const perHash: number[] = [];
    for (let n = 1; n <= count; n++) {
      fingerprints.claim(Math.floor(random() * 2 ** 32), Math.floor(random() * 2 ** 32));
      if (n % 20_000 === 0 && (n === count || n > count / 3)) perHash.push(memory.buffer.byteLength / n);
    }
    expect(fingerprints.size).toBe(count);
    expect(known === 'is known' ? perHash.at(-1) : Math.max(...perHash)).toBeLessThan(most);
  });

  it('works for hashes that all have one home, at either end of the table', () => {
    for (const hi of [0, 2 ** 32 - 1]) {
      const fingerprints = createSeenSet();
      const random = seededRandom(1);
      const hashes = Array.from({ length: 5000 }, () => Math.floor(random() * 2 ** 32));
      const first = hashes.map((lo) => fingerprints.claim(hi, lo));
      const second = hashes.map((lo) => fingerprints.claim(hi, lo));
      expect(new Set(first)).toEqual(new Set([-1]));
      expect(second).toEqual(hashes.map((_, n) => n));
    }
  });

  it('tells hashes apart that differ in a single bit', () => {
    const fingerprints = createSeenSet();
    const hashes: (readonly [number, number])[] = [[0x1234_5678, 0x9abc_def0]];
    for (let bit = 0; bit < 32; bit++) {
      hashes.push([0x1234_5678 ^ (1 << bit), 0x9abc_def0], [0x1234_5678, 0x9abc_def0 ^ (1 << bit)]);
    }
    expect(new Set(hashes.map(([hi, lo]) => fingerprints.claim(hi, lo)))).toEqual(new Set([-1]));
    expect(hashes.map(([hi, lo]) => fingerprints.claim(hi, lo))).toEqual(hashes.map((_, n) => n));
  });

  describe('with a shelf', () => {
    const expectation = fc.oneof(
      fc.integer({ min: -1000, max: 200_000 }),
      fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    const run = fc.record({
      seed: fc.integer(),
      claims: fc.integer({ min: 1, max: 80_000 }),
      /** Of how many different ones the claims are drawn. */
      different: fc.integer({ min: 1, max: 100_000 }),
      memoryBytes: fc.constantFrom(0, 200_000, 500_000, 1e9),
      /** How often it takes something before it is full, and how often it is full then. */
      room: fc.integer({ min: 0, max: 8 }),
      full: fc.constantFrom(0, 1, 3, 1000),
      expectations: fc.array(expectation, { minLength: 1, maxLength: 3 }),
    });

    it('answers as a Map does, whatever is in memory and whatever is expected', () => {
      fc.assert(
        fc.property(run, ({ seed, claims, different, memoryBytes, room, full, expectations }) => {
          const random = seededRandom(seed);
          const hashes = Uint32Array.from({ length: 2 * different }, () => Math.floor(random() * 2 ** 32));
          const shelf = createFullShelf(room, full);
          let asked = 0;
          const fingerprints = createSeenSet({
            openSpillFile: () => shelf,
            memoryBytes,
            expect: () => expectations[asked++ % expectations.length]!,
          });
          const holders = new Map<string, number>();
          let wrong = 0;
          for (let n = 0; n < claims; n++) {
            const at = 2 * Math.floor(random() * different);
            const [hi, lo] = [hashes[at]!, hashes[at + 1]!];
            const key = `${hi} ${lo}`;
            const holder = holders.get(key);
            // Ordinals in any order, and many of them the same.
            const ordinal = Math.floor(random() * 2 ** (n % 33));
            if (fingerprints.claim(hi, lo, Math.min(ordinal, 2 ** 32 - 2)) !== (holder ?? -1)) wrong++;
            if (holder === undefined) holders.set(key, Math.min(ordinal, 2 ** 32 - 2));
          }
          expect([wrong, fingerprints.size]).toEqual([0, holders.size]);
        }),
        { numRuns: 30 },
      );
    });

    it('puts there what is more than may stay in memory, and reads back only what it is asked for', () => {
      const shelf = createFullShelf(1000, 0);
      const fingerprints = createSeenSet({
        openSpillFile: () => shelf,
        memoryBytes: 0,
        expect: () => 100_000,
      });
      for (let n = 0; n < 100_000; n++) claimNumber(fingerprints, n);
      expect(shelf.written).toBeGreaterThan(12 * 80_000);
      const before = shelf.wasRead;
      expect(claimNumber(fingerprints, 777)).toBe(777);
      expect(shelf.wasRead - before).toBeLessThan(100);
    });

    it('opens none for few, closes it once, and works without one', () => {
      let opened = 0;
      let closed = 0;
      const openSpillFile = (): SpillFile => {
        opened++;
        return { ...createFullShelf(1000, 0), close: () => closed++ };
      };
      const few = createSeenSet({ openSpillFile });
      for (let n = 0; n < 10_000; n++) claimNumber(few, n);
      few.close();
      expect([opened, closed]).toEqual([0, 0]);
      const many = createSeenSet({ openSpillFile, memoryBytes: 0 });
      for (let n = 0; n < 40_000; n++) claimNumber(many, n);
      many.close();
      many.close();
      expect([opened, closed]).toEqual([1, 1]);
      expect(() => claimNumber(many, 5)).toThrow('closed');
      const without = createSeenSet({ openSpillFile: () => undefined, memoryBytes: 0 });
      for (let n = 0; n < 40_000; n++) claimNumber(without, n);
      expect(claimNumber(without, 5)).toBe(5);
    });
  });
});

function claimNumber(fingerprints: Fingerprints, number: number): number {
  return fingerprints.claim(Math.imul(number, 0x9e37_79b9), Math.imul(number, 0x85eb_ca6b), number);
}

/** Takes `room` writings, refuses the next `full` ones, and takes all after them. */
function createFullShelf(
  room: number,
  full: number,
): SpillFile & { readonly written: number; readonly wasRead: number } {
  const bytes = Buffer.alloc(4_000_000, 0xff);
  let writings = 0;
  let written = 0;
  let read = 0;
  return {
    write(part, at) {
      writings++;
      const taken = writings <= room || writings > room + full;
      // What is full may have taken a part.
      bytes.set(taken ? part : part.subarray(0, 1000), at);
      written += taken ? part.length : 0;
      return taken;
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
