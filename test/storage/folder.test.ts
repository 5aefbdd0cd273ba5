import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFolder, listFolder } from '../../src/storage/folder.ts';
import { createTestFolder } from '../support/folder.ts';

describe('listFolder', () => {
  it('sorts names by number and resolves links', () => {
    const folder = createTestFolder();
    for (const name of ['demo-users-10.json', 'demo-users-2.json', 'demo-users-0.json', 'demo-realm.json']) {
      writeFileSync(join(folder, name), '{}');
    }
    mkdirSync(join(folder, 'more'));
    symlinkSync(join(folder, 'demo-realm.json'), join(folder, 'link.json'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'loose.json'));
    symlinkSync('loop.json', join(folder, 'loop.json'));
    expect(listFolder(folder).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'demo-realm.json file',
      'demo-users-0.json file',
      'demo-users-2.json file',
      'demo-users-10.json file',
      'link.json file',
      'loop.json lost',
      'loose.json lost',
      'more folder',
    ]);
    expect(listFolder(folder)[0]?.path).toBe(join(folder, 'demo-realm.json'));
    expect([
      isFolder(folder),
      isFolder(join(folder, 'link.json')),
      isFolder(join(folder, 'none')),
      isFolder(join(folder, 'loop.json')),
    ]).toEqual([true, false, false, false]);
  });

  it('refuses a path that is not a folder', () => {
    const folder = createTestFolder();
    expect(() => listFolder(join(folder, 'none'))).toThrow('there is no such file');
  });
});
