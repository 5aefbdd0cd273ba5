import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchBuilder, BatchSpace, createBatchMemory } from '../../src/lib/batch-memory.ts';

describe('memory for batches', () => {
  it('reuses released buffers that are long enough, the latest of more than it keeps', () => {
    const memory = createBatchMemory();
    for (const buffer of Array.from({ length: 100 }, () => new ArrayBuffer(10))) memory.release(buffer);
    const [small, large] = [memory.allocate(100), memory.allocate(1000)];
    memory.release(large);
    memory.release(small);
    expect([memory.allocate(500), memory.allocate(100)]).toEqual([large, small]);
    expect(memory.allocate(100)).not.toBe(small);
  });

  it('never allocates a buffer twice at once, nor one that is too short', () => {
    const steps = fc.array(fc.oneof(fc.record({ allocate: fc.nat(5000) }), fc.record({ release: fc.nat() })));
    fc.assert(
      fc.property(steps, (all) => {
        const memory = createBatchMemory();
        const used: ArrayBuffer[] = [];
        for (const step of all) {
          if ('release' in step) {
            const [buffer] = used.splice(step.release % Math.max(1, used.length), 1);
            if (buffer !== undefined) memory.release(buffer);
            continue;
          }
          const buffer = memory.allocate(step.allocate);
          expect(used).not.toContain(buffer);
          expect(buffer.byteLength).toBeGreaterThanOrEqual(step.allocate);
          used.push(buffer);
        }
      }),
    );
  });

  it('keeps neither the buffer of one huge record nor one that was moved to another thread', () => {
    const memory = createBatchMemory();
    const [huge, moved] = [memory.allocate(2 * 1024 * 1024), memory.allocate(1000)];
    structuredClone(moved, { transfer: [moved] });
    memory.release(huge);
    memory.release(moved);
    expect(memory.allocate(0)).not.toBe(moved);
    expect(memory.allocate(1000)).not.toBe(huge);
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
});

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe('the bytes of a batch', () => {
  it('are pieces of blocks with room behind them, and belong to the receiver', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('..one..'), 2, 5);
    batch.append(Buffer.from('two'), 0, 3);
    const { bytes, room } = batch.take();
    batch.append(Buffer.from('other'), 0, 5);
    const second = batch.take();
    expect([text(bytes), text(second.bytes)]).toEqual(['onetwo', 'other']);
    expect(room.buffer).toBe(bytes.buffer);
    expect([room.byteOffset, bytes.length + room.length]).toEqual([bytes.length, bytes.buffer.byteLength]);
    expect(second.bytes.buffer).not.toBe(bytes.buffer);
  });

  it('outgrow their memory, which is released then', () => {
    const kept = createBatchMemory();
    const batch = new BatchBuilder(1000, kept);
    batch.append(Buffer.alloc(3999, 'a'), 0, 3999);
    const { buffer } = batch.memory;
    batch.append(Buffer.from('bcd'), 0, 3);
    expect(batch.memory.buffer).not.toBe(buffer);
    expect(kept.allocate(4000)).toBe(buffer);
    expect(text(batch.take().bytes)).toBe(`${'a'.repeat(3999)}bcd`);
  });

  it('are taken in part, or made fewer', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('one, '), 0, 5);
    const { bytes, room } = batch.take(3);
    expect([text(bytes), text(room.subarray(0, 2))]).toEqual(['one', ', ']);
    batch.append(Buffer.from('lines'), 0, 5);
    batch.length = 2;
    batch.append(Buffer.from('st'), 0, 2);
    expect(text(batch.take().bytes)).toBe('list');
  });
});
