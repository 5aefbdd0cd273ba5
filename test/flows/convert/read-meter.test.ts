import { expect, it } from 'vitest';
import type { OpenFile } from '../../../src/lib/input.ts';
import { createReadMeter } from '../../../src/flows/convert/read-meter.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('a meter counts what is read, in every pass anew, and of all inputs together', async () => {
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const [one, two] = ['12345', '1234567'].map((text) =>
    meter.watch(memoryInput(text, text, { blockBytes: 3 })),
  );
  for (const input of [one, two, one])
    for await (const block of input!.blocks()) expect(block.length).toBeGreaterThan(0);
  expect(ticks).toEqual([3, 5, 8, 11, 12, 15, 17]);
  expect(one).toMatchObject({ name: '12345', size: 5, repeatable: true });
});

it('a meter counts a file that is read in parts, or by others, and once where it is read again', async () => {
  let taken = 0;
  const file: OpenFile = {
    descriptor: 1,
    read: () => 0,
    async *blocks(offset) {
      taken = offset + 5;
      yield Buffer.from('12345');
    },
    pass: (offset) => (taken = offset),
    hasChanged: () => false,
    close: () => {},
  };
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const packed = meter.watch({ ...memoryInput('packed', ''), open: () => undefined });
  expect(packed.open?.()).toBeUndefined();
  const input = meter.watch({ ...memoryInput('in', '123'), taken: () => taken, open: () => file });
  const opened = input.open?.();
  for await (const block of opened!.blocks(0)) expect(block.length).toBe(5);
  opened?.pass(100);
  for await (const block of opened!.blocks(100)) expect(block.length).toBe(5);
  expect(ticks).toEqual([5, 100, 105]);
  meter.restart();
  taken = 0;
  for await (const block of input.blocks()) expect(block.length).toBe(3);
  taken = 200;
  for await (const block of input.blocks()) expect(block.length).toBe(3);
  expect(ticks.slice(3)).toEqual([105, 200]);
});

it('a run that is stopped stops while it reads', async () => {
  const meter = createReadMeter(() => {
    throw new Error('stopped');
  });
  const read = async (): Promise<void> => {
    for await (const block of meter.watch(memoryInput('in', 'text')).blocks()) expect(block).toBeUndefined();
  };
  await expect(read()).rejects.toThrow('stopped');
});
