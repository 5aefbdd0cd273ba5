import { expect, it } from 'vitest';
import { createReadMeter } from '../../../src/flows/convert/read-meter.ts';
import { memoryInput } from '../../support/memory-input.ts';

it('a meter counts what is read, in every pass anew, and of all inputs together', async () => {
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const [one, two] = ['12345', '1234567'].map((text) =>
    meter.watch(memoryInput(text, text, { blockBytes: 3 }), 2),
  );
  for (const input of [one, two, one])
    for await (const block of input!.blocks()) expect(block.length).toBeGreaterThan(0);
  expect(ticks).toEqual([3, 5, 8, 11, 12, 15, 17]);
  expect(one).toMatchObject({ name: '12345', size: 5, repeatable: true });
});

it('of an input that is read more often than expected the last pass counts', async () => {
  const ticks: number[] = [];
  const meter = createReadMeter(() => ticks.push(meter.bytes));
  const input = meter.watch(memoryInput('in', '12345', { blockBytes: 3 }));
  for (let pass = 0; pass < 3; pass++)
    for await (const block of input.blocks()) expect(block.length).toBeGreaterThan(0);
  expect(ticks).toEqual([3, 5, 3, 5, 3, 5]);
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
