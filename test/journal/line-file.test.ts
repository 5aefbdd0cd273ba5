import { describe, expect, it } from 'vitest';
import { createJournal } from '../../src/journal/journal.ts';
import { unwritable } from '../../src/journal/line-file.ts';
import { createTestFolder } from '../support/folder.ts';

describe('a journal that cannot be written', () => {
  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'it is not permitted'],
    ['EXYZ', 'EXYZ'],
  ])('by %s says: %s', (code, reason) => {
    const error = unwritable('x.journal', Object.assign(new Error('no'), { code }));
    expect(error.message).toBe(`x.journal: the journal cannot be written: ${reason}`);
    expect(error).toMatchObject({ code: 'journal:unwritable', exitCode: 1 });
    expect(error.hint).toContain('--resume');
  });

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
