import { describe, expect, it } from 'vitest';
import { scanJson } from '../../src/json/scan.ts';
import { memoryInput } from '../support/memory-input.ts';

/** What a scan over several documents tells, batches as their text. */
async function scan(text: string, blockBytes: number): Promise<unknown[]> {
  const told: unknown[] = [];
  const layout = { arrays: [[], ['users']], fields: [['total']], many: true };
  for await (const item of scanJson('in', memoryInput('in', text, { blockBytes }).blocks(), layout)) {
    if (item.kind === 'batch') told.push(Buffer.from(item.bytes).toString());
    else if (item.kind === 'field') told.push(item.value);
    else if (item.kind === 'absent') told.push(`no list: ${item.found}`);
  }
  return told;
}

describe('a scan over many documents', () => {
  it.each([1, 2, 3, 1000])('finds the lists of each (blocks of %d bytes)', async (blockBytes) => {
    expect(
      await scan('[1,2]\n[]{"users":[3],"total":4} {"total":5,"users":[{"users":[6]}]}', blockBytes),
    ).toEqual(['1,2', '3', 4, 5, '{"users":[6]}']);
  });

  it.each(['{"error":1}', '5', '"x"', 'null', '{"users":{}}'])(
    'tells of a document without one: %s',
    async (text) => {
      expect(await scan(`[1] ${text} [2]`, 3)).toEqual(['1', expect.stringMatching(/^no list/), '2']);
    },
  );

  it.each([
    ['[1] ]', 'input:syntax'],
    ['[1] {', 'input:truncated'],
    ['[1] [2', 'input:truncated'],
    ['', 'input:empty'],
  ])('refuses %j', async (text, code) => {
    await expect(scan(text, 2)).rejects.toMatchObject({ code });
  });
});
