/** Where `import-users` puts its journal and its id map. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

it.each([
  [[], ['users.csv', 'users.csv.ids.csv', 'users.csv.users.journal'], []],
  [['--journal=runs/x.journal'], ['users.csv'], ['users.csv.ids.csv', 'x.journal']],
  [['--journal=runs/x.journal', '--id-map=data/ids.csv'], ['ids.csv', 'users.csv'], ['x.journal']],
])('with %j', async (flags, beside, elsewhere) => {
  const cwd = createTestFolder();
  for (const folder of ['data', 'runs']) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, 'data/users.csv'), 'id,email\n1,ada@example.com\n');
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  try {
    const source = ['--from=csv', '--users=data/users.csv', '--org=100', '--allow-emails'];
    const ran = await runProgram(['import-users', ...source, ...instance.flags, ...flags], { cwd });
    expect(ran.exitCode).toBe(0);
    expect(readdirSync(join(cwd, 'data')).toSorted()).toEqual(beside);
    expect(readdirSync(join(cwd, 'runs')).toSorted()).toEqual(elsewhere);
  } finally {
    await instance.close();
  }
});
