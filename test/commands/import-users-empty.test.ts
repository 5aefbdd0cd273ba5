/** `import-users` of an export without users: the exit code says that something is wrong with it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ExitCode } from '../../src/errors.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

const user = { id: 'a', username: 'a', email: 'a@b.example', firstName: 'A', lastName: 'B', enabled: true };
const account = { username: 'service-account-x', serviceAccountClientId: 'x', enabled: true };

it.each([
  [[], [], ExitCode.rejected],
  [[account], [], ExitCode.rejected],
  [[user], [], ExitCode.done],
  [[user], ['--offset=1'], ExitCode.done],
])('users %j with %j', async (users, more, exitCode) => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  try {
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
    const source = ['--from=keycloak', '--realm=realm.json', '--org=100', '--max-emails=unlimited'];
    const argv = ['import-users', ...source, ...instance.flags, ...more];
    expect((await runProgram(argv, { cwd })).exitCode).toBe(exitCode);
  } finally {
    await instance.close();
  }
});
