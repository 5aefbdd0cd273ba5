import { expect, it } from 'vitest';
import { createReadMeter } from '../../../src/flows/read/read-meter.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('a read meter adds the bytes of all inputs', async () => {
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const [one, two] = ['12345', '1234567'].map((text) =>
    meter.watch(memoryInput(text, text, { blockBytes: 3 })),
  );
  for (const input of [one, two])
    for await (const block of input!.blocks()) expect(block.length).toBeGreaterThan(0);
  expect(ticks).toEqual([3, 5, 8, 11, 12]);
  expect(one).toMatchObject({ name: '12345', size: 5, repeatable: true });
});

it('a read meter counts the furthest pass of an input that is read several times', async () => {
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const input = meter.watch(memoryInput('in', '12345', { blockBytes: 2 }));
  const first = input.blocks()[Symbol.asyncIterator]();
  await first.next();
  for await (const block of input.blocks()) expect(block.length).toBeGreaterThan(0);
  while ((await first.next()).done !== true);
  expect(ticks).toEqual([2, 2, 4, 5, 4, 5]);
});
