import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openExport } from '../../../src/flows/read/open-export.ts';
import { createTestFolder } from '../../support/folder.ts';
import { usualKeycloak } from '../../support/usual-job.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
  for (const name of ['realm.json', 'r-realm.json', 'r-users-0.json']) writeFileSync(join(cwd, name), '{}');
});

const open = async (...paths: string[]) => {
  const context = { cwd };
  const inputs = await openExport('keycloak', usualKeycloak, paths, context, () => {});
  return inputs.map(({ name }) => name);
};

it.each(['other', 'other.json', 's-users-0.json'])(
  'openExport with broken links beside the input ignores a link that is named %s',
  async (name) => {
    symlinkSync(name, join(cwd, name));
    symlinkSync('nowhere', join(cwd, `nowhere-${name}`));
    expect(await open('realm.json')).toEqual(['realm.json']);
    expect(await open('r-realm.json')).toEqual(['r-realm.json', 'r-users-0.json']);
    expect(await open(join(cwd, 'realm.json'))).toEqual([join(cwd, 'realm.json')]);
  },
);

it('openExport with broken links beside the input refuses a broken link named like a users file of the realm', async () => {
  symlinkSync('r-users-1.json', join(cwd, 'r-users-1.json'));
  await expect(open('r-realm.json')).rejects.toThrow('r-users-1.json: its links lead in a circle');
  await expect(open('.')).rejects.toThrow('r-users-1.json: its links lead in a circle');
});
