import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFingerprints } from '../../src/lib/fingerprints.ts';
import { createCopiedMemory, createGrowingMemory, type GrowingMemory } from '../../src/lib/growing-memory.ts';
import { hashText } from '../../src/lib/hash-text.ts';
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
        const fingerprints = createFingerprints();
        const holders = new Map<string, number>();
        for (const [hi, lo] of hashes) {
          // The last four bits are not compared.
          const key = `${hi} ${lo >>> 4}`;
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
    const fingerprints = createFingerprints();
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
      fc.property(fc.array(batch, { maxLength: 8 }), fc.integer({ min: 2, max: 5 }), (batches, step) => {
        const foreseeing = createFingerprints();
        const plain = createFingerprints();
        const claimed: (readonly [number, number])[] = [];
        for (const { foreseen, more } of batches) {
          const all = [...foreseen, ...claimed];
          const words = new Uint32Array(1 + all.length * step);
          all.forEach((pair, n) => words.set(pair, 1 + n * step));
          const before = words.slice();
          foreseeing.foresee(words, 1, step, all.length);
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
      }),
    );
  });

  it.each([
    ['memory that grows in place', createGrowingMemory],
    ['memory that is copied', createCopiedMemory],
  ])('remembers all of many, through every growth, in %s', (_, createMemory) => {
    const fingerprints = createFingerprints(createMemory);
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

  it('takes about 12 or 13 bytes a record once there are many', () => {
    const memories: GrowingMemory[] = [];
    const fingerprints = createFingerprints(() => {
      const memory = createGrowingMemory();
      memories.push(memory);
      return memory;
    });
    const random = seededRandom(5);
    const count = 3_000_000;
    const perRecord: number[] = [];
    for (let n = 1; n <= count; n++) {
      fingerprints.claim(Math.floor(random() * 2 ** 32), Math.floor(random() * 2 ** 32));
      if (n < (count * 2) / 3 || n % 20_000 !== 0) continue;
      perRecord.push(memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) / n);
    }
    expect(fingerprints.size).toBe(count);
    expect(Math.max(...perRecord)).toBeLessThan(13.5);
  });

  it('works for hashes that all fall into one table, crowded at either end', () => {
    for (const [base, step] of [
      [0, 1],
      [0xfffff, -1],
    ] as const) {
      const fingerprints = createFingerprints();
      const random = seededRandom(1);
      const hashes = Array.from({ length: 24 }, (_, n) => [base + step * n, Math.floor(random() * 2 ** 32)]);
      const first = hashes.map(([hi, lo]) => fingerprints.claim(hi!, lo!));
      const second = hashes.map(([hi, lo]) => fingerprints.claim(hi!, lo!));
      expect(new Set(first)).toEqual(new Set([-1]));
      expect(second).toEqual(hashes.map((_, n) => n));
    }
  });
});
