import { openSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lockJournal } from '../../src/journal/journal.ts';
import { LineFile } from '../../src/journal/line-file.ts';
import { createTestFolder } from '../support/folder.ts';

it.each([
  ['of one turn are one text', ['a', 'b', 'ümläut \u{1f600}']],
  ['may be longer than what is there to write from', ['x'.repeat(100_000), 'ü'.repeat(40_000), 'end']],
])('the lines of a file %s', async (_, lines) => {
  const path = `${createTestFolder()}/lines`;
  const file = new LineFile(path, openSync(path, 'wx'), 0, lockJournal(path));
  const [first = '', ...more] = lines;
  file.add(first);
  await file.written();
  for (const line of more) file.add(line);
  await file.synced(() => undefined);
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  file.close();
  expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
});
