import { assert, asyncProperty, integer, jsonValue } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson, type ScanItem } from '../../src/json/scan.ts';

async function* inBlocks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function scan(text: string, size: number): Promise<ScanItem[]> {
  const items: ScanItem[] = [];
  const options = {
    arrays: [['orgs', '*', 'users']],
    values: [
      ['orgs', '*', 'policy'],
      ['orgs', '*', 'name'],
    ],
  };
  for await (const item of scanJson('x.json', inBlocks(text, size), options)) items.push(item);
  return items;
}

function valuesOf(items: readonly ScanItem[]): [string, unknown][] {
  return items.flatMap((item): [string, unknown][] =>
    item.kind === 'value' ? [[item.path.at(-1) ?? '', JSON.parse(Buffer.from(item.bytes).toString())]] : [],
  );
}

describe('a wanted value', () => {
  it('comes out as it stands, whatever it is and however the input is cut', async () => {
    await assert(
      asyncProperty(jsonValue(), jsonValue(), integer({ min: 1, max: 40 }), async (policy, name, size) => {
        const text = JSON.stringify(
          { orgs: [{ policy, users: [1, 2], name, other: 1 }], end: true },
          null,
          size % 3,
        );
        const items = await scan(text, size);
        expect(valuesOf(items)).toEqual([
          ['policy', JSON.parse(JSON.stringify(policy))],
          ['name', JSON.parse(JSON.stringify(name))],
        ]);
        expect(items.filter(({ kind }) => kind === 'batch')).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });

  it('knows its place in the input', async () => {
    const text = '{"orgs":[{"name": "a\\"}", "users":[]},{"name":12}]}';
    const items = await scan(text, 3);
    expect(items.flatMap((item) => (item.kind === 'value' ? [item.offset] : []))).toEqual([
      text.indexOf('"a'),
      text.indexOf('12'),
    ]);
  });

  it('that breaks off is a truncated input', async () => {
    await expect(scan('{"orgs":[{"policy":{"a":', 5)).rejects.toMatchObject({ code: 'input:truncated' });
  });

  it('leaves the commas and brackets behind it to the walk', async () => {
    await expect(scan('{"orgs":[{"policy":{} "users":[]}]}', 5)).rejects.toMatchObject({
      code: 'input:syntax',
    });
  });
});
