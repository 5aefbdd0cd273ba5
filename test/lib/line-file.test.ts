import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLines } from '../../src/storage/own-lines.ts';
import { createTestFolder } from '../support/folder.ts';
import { limitDisk } from '../support/full-disk.ts';

it.each([
  ['of one turn are one text', ['a', 'b', 'ümläut \u{1f600}']],
  ['may be longer than what is there to write from', ['x'.repeat(100_000), 'ü'.repeat(40_000), 'end']],
])('the lines of a file %s', async (_, lines) => {
  const path = `${createTestFolder()}/lines`;
  const file = createLines(path);
  const [first = '', ...more] = lines;
  file.add(first);
  await file.written();
  for (const line of more) file.add(line);
  await file.synced(() => undefined);
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  file.close();
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
});

it('what could not be written does not count as on the disk, although a sync of the rest succeeds', async () => {
  const folder = createTestFolder();
  const disk = limitDisk(folder, 0);
  const file = createLines(`${folder}/lines`);
  const counted: string[] = [];
  try {
    const synced = file.synced(() => counted.push('first'));
    file.add('second');
    const next = file.synced(() => counted.push('second'));
    await expect(file.written()).rejects.toThrow('the disk is full');
    await synced;
    await expect(next).rejects.toThrow('the disk is full');
  } finally {
    disk.restore();
  }
  expect(counted).toEqual(['first']);
});
