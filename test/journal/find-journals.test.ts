import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findJournals } from '../../src/journal/load.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { header } from '../support/journal.ts';
import { createTestFolder } from '../support/folder.ts';

const line = encodeLine({ kind: 'header', header });

it('finds journals under any possible name and ignores other files', async () => {
  const folder = createTestFolder();
  mkdirSync(join(folder, 'folder'));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
  symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'text'), 'nothing\n');
  writeFileSync(join(folder, 'torn'), line);
  writeFileSync(join(folder, 'newer'), `${line.replace('"version":1', '"version":2')}\n`);
  writeFileSync(join(folder, 'x.1'), `${line}\n{"end":2,"attempts":0}\n`);
  const unreadable: string[] = [];
  const add = ({ message }: Error) => void unreadable.push(message);
  expect(await findJournals(folder, add)).toEqual([{ path: join(folder, 'x.1'), header }]);
  const newer = `${join(folder, 'newer')} is a journal of version 2, and this idport reads version 1`;
  expect(unreadable).toEqual([newer]);
  expect(await findJournals(folder, add, (name) => name.includes('journal'))).toEqual([]);
  expect(await findJournals(join(folder, 'nowhere'), add)).toEqual([]);
});
