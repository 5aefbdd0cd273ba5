import { describe, expect, it } from 'vitest';
import { BatchBuilder } from '../../src/lib/batch-builder.ts';
import { batchMemory } from '../../src/lib/batch-memory.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe('the bytes of a batch', () => {
  it('are pieces of blocks, one behind the other, with room behind them', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('..one..'), 2, 5);
    batch.append(Buffer.from('two'), 0, 3);
    const { bytes, room } = batch.take();
    expect(text(bytes)).toBe('onetwo');
    expect(room.buffer).toBe(bytes.buffer);
    expect([room.byteOffset, bytes.length + room.length]).toEqual([bytes.length, bytes.buffer.byteLength]);
    expect(bytes.buffer.byteLength).toBeGreaterThanOrEqual(30);
  });

  it('belong to the receiver: the next batch has memory of its own', () => {
    const batch = new BatchBuilder(10);
    batch.append(Buffer.from('first'), 0, 5);
    const first = batch.take();
    batch.append(Buffer.from('other'), 0, 5);
    const second = batch.take();
    expect([text(first.bytes), text(second.bytes)]).toEqual(['first', 'other']);
    expect(first.bytes.buffer).not.toBe(second.bytes.buffer);
  });

  it('outgrow their memory, which is lent to somebody else then', () => {
    const batch = new BatchBuilder(1000);
    batch.append(Buffer.alloc(2999, 'a'), 0, 2999);
    const { buffer } = batch.memory;
    batch.append(Buffer.from('bcd'), 0, 3);
    expect(batch.memory.buffer).not.toBe(buffer);
    expect(batchMemory.allocate(3000)).toBe(buffer);
    expect(text(batch.take().bytes)).toBe(`${'a'.repeat(2999)}bcd`);
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
