/** Passwords in plain text, one by one: hashed here, or by the service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bcryptVerify } from 'hash-wasm';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

it.each(['hash', 'send'])(
  '--plain-passwords %s: the users can sign in, and no file has the password',
  async (way) => {
    const cwd = createTestFolder();
    const instance = await startInstance(cwd, 'target', { orgId: '100' });
    const users = [1, 2, 3].map((number) => ({
      username: `user-${number}`,
      email: `user-${number}@acme.example`,
      emailVerified: true,
      credentials: [{ type: 'password', value: `Zyx9-${number}!aA`, temporary: false }],
    }));
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
    const source = ['--from', 'keycloak', '--realm', 'realm.json', '--journal', 'x.journal'];
    const more = [...instance.flags, '--org', '100', '--plain-passwords', way];
    const { exitCode } = await runProgram(['import-users', ...source, ...more], { cwd });
    expect(exitCode).toBe(0);
    const created = [...instance.server.state.store.users.values()].filter(({ userName }) =>
      userName.startsWith('user-'),
    );
    expect(created).toHaveLength(3);
    for (const user of created) {
      const { passwordHash = '' } = user as { passwordHash?: string };
      const password = user.userName.replace('user-', 'Zyx9-') + '!aA';
      expect(await bcryptVerify({ password, hash: passwordHash })).toBe(true);
    }
    expect(readFileSync(join(cwd, 'x.journal'), 'utf8')).not.toContain('Zyx9');
    await instance.close();
  },
);
