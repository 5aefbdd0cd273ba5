import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scanJson } from '../../src/json/scan.ts';
import { openInput } from '../../src/storage/open-input.ts';
import { createTestFolder } from '../support/folder.ts';

it('an array of batches only is never handed out as chunks, whatever comes before it', async () => {
  const elements = Array.from({ length: 9000 }, (_, at) => ({
    name: `name-${at}`,
    more: 'x'.repeat(200),
    at,
  }));
  const organizations = elements.map(({ name, at }) => ({
    id: `id-${at}`,
    alias: name,
    more: 'x'.repeat(200),
  }));
  const path = join(createTestFolder(), 'realm.json');
  writeFileSync(path, JSON.stringify({ users: elements, organizations }));
  const input = openInput(path, {});
  const file = input.open!();
  const chunks: Record<string, number> = {};
  let list = '';
  let found = 0;
  const options = { arrays: [['users'], ['organizations']], batchesOnly: 'organizations' };
  for await (const item of scanJson(path, input.blocks(), options, () => file)) {
    if (item.kind === 'open') list = item.path[0]!;
    if (item.kind === 'chunk') chunks[list] = (chunks[list] ?? 0) + 1;
    if (item.kind === 'batch' && list === 'organizations') found += item.count;
  }
  file?.close();
  expect(chunks['users']).toBeGreaterThan(0);
  expect(chunks['organizations']).toBeUndefined();
  expect(found).toBe(9000);
});
