import { expect, it } from 'vitest';
import { scanJson } from '../../src/json/scan.ts';

it('every batch has cuts, at commas between its elements', async () => {
  const elements = Array.from({ length: 9000 }, (_, at) => ({ at, text: 'a, b'.repeat(10) }));
  async function* blocks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(elements));
  }
  const whole: boolean[] = [];
  for await (const item of scanJson('users', blocks(), { arrays: [[]], batchBytes: 128 * 1024 })) {
    if (item.kind !== 'batch') continue;
    const parts = [0, ...item.cuts].map((from, at) => item.bytes.subarray(from, item.cuts[at]));
    for (const part of parts) JSON.parse(`[${Buffer.from(part).toString('utf8').replace(/^,/, '')}]`);
    whole.push(item.cuts.length === 0);
  }
  expect(whole.length).toBeGreaterThan(3);
  expect(whole.slice(0, -1)).not.toContain(true);
});
