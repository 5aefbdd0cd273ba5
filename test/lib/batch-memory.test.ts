import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBatchMemory, BatchSpace } from '../../src/lib/batch-memory.ts';

describe('memory for batches', () => {
  it('lends again what was given back, where it is long enough', () => {
    const memory = createBatchMemory();
    const [small, large] = [memory.allocate(100), memory.allocate(1000)];
    memory.release(large);
    memory.release(small);
    expect(memory.allocate(500)).toBe(large);
    expect(memory.allocate(100)).toBe(small);
    expect(memory.allocate(100)).not.toBe(small);
  });

  it('never lends to two at once, and never less than asked for', () => {
    const steps = fc.array(fc.oneof(fc.record({ allocate: fc.nat(5000) }), fc.record({ release: fc.nat() })));
    fc.assert(
      fc.property(steps, (all) => {
        const memory = createBatchMemory();
        const lent: ArrayBuffer[] = [];
        for (const step of all) {
          if ('release' in step) {
            const [buffer] = lent.splice(step.release % Math.max(1, lent.length), 1);
            if (buffer !== undefined) memory.release(buffer);
            continue;
          }
          const buffer = memory.allocate(step.allocate);
          expect(lent).not.toContain(buffer);
          expect(buffer.byteLength).toBeGreaterThanOrEqual(step.allocate);
          lent.push(buffer);
        }
      }),
    );
  });

  it('does not keep what came for one huge record, nor what has gone to another thread', () => {
    const memory = createBatchMemory();
    const [huge, moved] = [memory.allocate(2 * 1024 * 1024), memory.allocate(1000)];
    structuredClone(moved, { transfer: [moved] });
    memory.release(huge);
    memory.release(moved);
    expect(memory.allocate(0)).not.toBe(moved);
    expect(memory.allocate(1000)).not.toBe(huge);
  });

  it('keeps no more than could be of use', () => {
    const memory = createBatchMemory();
    const buffers = Array.from({ length: 1000 }, () => memory.allocate(8));
    for (const buffer of buffers) memory.release(buffer);
    const again = new Set(buffers.map(() => memory.allocate(8)));
    expect(buffers.filter((buffer) => again.has(buffer)).length).toBeLessThan(100);
  });
});

describe('room in a buffer', () => {
  it('gives parts that do not touch each other, where words may begin, and new memory beyond its end', () => {
    const lengths = fc.array(fc.nat(300), { maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(100), fc.nat(900), lengths, (offset, length, wanted) => {
        const all = new Uint8Array(1000).fill(0x58);
        const room = new BatchSpace(all.subarray(offset, offset + length));
        const parts = wanted.map((bytes, place) => room.take(bytes).fill(place + 1));
        parts.forEach((part, place) => {
          expect(part).toHaveLength(wanted[place]!);
          expect(part.every((byte) => byte === place + 1)).toBe(true);
          expect(part.byteOffset % 8).toBe(0);
        });
        const inside = parts.filter((part) => part.length > 0 && part.buffer === all.buffer);
        const used = inside.reduce((sum, part) => sum + part.length, 0);
        expect(all.filter((byte) => byte !== 0x58)).toHaveLength(used);
        expect(all.subarray(0, offset).every((byte) => byte === 0x58)).toBe(true);
        expect(all.subarray(offset + length).every((byte) => byte === 0x58)).toBe(true);
      }),
    );
  });

  it('is all new memory where there is no buffer', () => {
    expect(new BatchSpace().take(10)).toHaveLength(10);
  });

  it('has memory of its own where there is no buffer: nothing is lost for others when it changes threads', () => {
    for (let round = 0; round < 2; round++) {
      const { buffer } = new BatchSpace().take(0);
      expect(structuredClone(buffer, { transfer: [buffer] }).byteLength).toBe(0);
    }
  });
});
