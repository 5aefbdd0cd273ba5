import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BatchBuilder, batchMemory, createBatchMemory } from '../../src/lib/batch-memory.ts';

describe('createBatchMemory', () => {
  it('reuses released buffers of sufficient length, latest first', () => {
    const memory = createBatchMemory();
    for (const buffer of Array.from({ length: 100 }, () => new ArrayBuffer(10))) memory.release(buffer);
    const [small, large] = [memory.allocate(100), memory.allocate(1000)];
    memory.release(large);
    memory.release(small);
    expect([memory.allocate(500), memory.allocate(100)]).toEqual([large, small]);
    expect(memory.allocate(100)).not.toBe(small);
  });

  it('never returns a buffer in use or one that is too short', () => {
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

  it('drops huge buffers and those moved to another thread', () => {
    const memory = createBatchMemory();
    const [huge, moved] = [memory.allocate(2 * 1024 * 1024), memory.allocate(1000)];
    structuredClone(moved, { transfer: [moved] });
    memory.release(huge);
    memory.release(moved);
    expect(memory.allocate(0)).not.toBe(moved);
    expect(memory.allocate(1000)).not.toBe(huge);
  });
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe('the bytes of a batch', () => {
  it('are joined from blocks and belong to the receiver', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('..one..'), 2, 5);
    batch.append(Buffer.from('two'), 0, 3);
    const first = batch.take();
    batch.append(Buffer.from('other'), 0, 5);
    const second = batch.take();
    expect([text(first), text(second)]).toEqual(['onetwo', 'other']);
    expect(second.buffer).not.toBe(first.buffer);
  });

  it('release their memory when they outgrow it', () => {
    const batch = new BatchBuilder(1000);
    batch.append(Buffer.from('a'), 0, 1);
    const { buffer, length } = batch.memory;
    const release = vi.spyOn(batchMemory, 'release');
    onTestFinished(() => release.mockRestore());
    batch.append(Buffer.alloc(length, 'b'), 0, length);
    expect(release).toHaveBeenCalledExactlyOnceWith(buffer);
    expect(text(batch.take())).toBe(`a${'b'.repeat(length)}`);
  });

  it('can be taken in part or shortened', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('one, '), 0, 5);
    expect(text(batch.take(3))).toBe('one');
    batch.append(Buffer.from('lines'), 0, 5);
    batch.length = 2;
    batch.append(Buffer.from('st'), 0, 2);
    expect(text(batch.take())).toBe('list');
  });
});
