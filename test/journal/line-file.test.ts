import { openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createJournal, lockJournal } from '../../src/journal/journal.ts';
import { LineFile } from '../../src/journal/line-file.ts';
import { createTestFolder } from '../support/folder.ts';

describe('a journal that cannot be written', () => {
  it('because its folder is not there is told before anything is sent', () => {
    const path = `${createTestFolder()}/no/x.journal`;
    const header = {
      verb: 'import',
      input: { name: 'body.json', bytes: 1, sha256: 'abc' },
      url: 'https://id.example',
      orgs: ['42'],
      plan: [['humanUsers', 1]] as const,
      settings: {},
      startedAt: 0,
    };
    expect(() => createJournal(path, header)).toThrow(
      'the journal cannot be written: its folder does not exist',
    );
  });
});

describe('the lines of a file', () => {
  it.each([
    ['of one turn are one text', ['a', 'b', 'ümläut \u{1f600}']],
    ['may be longer than what is there to write from', ['x'.repeat(100_000), 'ü'.repeat(40_000), 'end']],
  ])('%s', async (_, lines) => {
    const path = `${createTestFolder()}/lines`;
    const file = new LineFile(path, openSync(path, 'wx'), { at: 0, lock: lockJournal(path) });
    const [first = '', ...more] = lines;
    file.add(first);
    await file.written();
    for (const line of more) file.add(line);
    await file.synced(() => undefined);
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  });
});
