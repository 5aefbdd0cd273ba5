import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createGroupedSpill } from '../../src/storage/spill-file.ts';
import { createTestFolder } from '../support/folder.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { hasOpenFiles, openFilesIn } from './open-files.ts';

it.each([64, 1000, 1_000_000])(
  'grouped spill returns each group in order, with %i bytes of memory',
  (memoryBytes) => {
    const folder = createTestFolder();
    const spill = createGroupedSpill({ memoryBytes, folder });
    const random = seededRandom(7);
    const expected: string[] = [];
    for (let at = 0; at < 3000; at++) {
      const group = Math.floor(random() * 40);
      const text = `<${at}>`.repeat(Math.floor(random() * 5));
      expected[group] = (expected[group] ?? '') + text;
      spill.write(group, Buffer.from(text));
    }
    for (const [group, text = ''] of expected.entries()) {
      expect(spill.has(group)).toBe(text !== '');
      const parts = Array.from(spill.read(group), (bytes) => Buffer.from(bytes).toString());
      expect(parts.join('')).toBe(text);
    }
    expect([...spill.read(99)]).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    spill.close();
    spill.close();
  },
);

it('grouped spill needs no folder for what fits into memory', () => {
  const spill = createGroupedSpill({ memoryBytes: 10, folder: join(createTestFolder(), 'none') });
  spill.write(1, Buffer.from('small'));
  expect(Buffer.concat([...spill.read(1)]).toString()).toBe('small');
  expect(() => {
    for (let at = 0; at < 9; at++) spill.write(1, Buffer.from('too much'));
  }).toThrow('none');
});

it.skipIf(!hasOpenFiles)('grouped spill keeps one file open for any number of groups (needs /proc)', () => {
  const folder = createTestFolder();
  const spill = createGroupedSpill({ memoryBytes: 1000, folder });
  for (let at = 0; at < 5000; at++) spill.write(at % 500, Buffer.from(`<${at}>`));
  const blocks = spill.read(7);
  blocks[Symbol.iterator]().next();
  expect(openFilesIn(folder)).toHaveLength(1);
  spill.close();
});
