/** `idport demo --jit`: the old password works at the first login, and it leaves no file. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProcess } from '../support/process.ts';

it('runs as the built program, whatever the variables say, and leaves no file', async () => {
  const folder = createTestFolder();
  const { exitCode, stdout, stderr } = await runProcess(['demo', '--jit'], {
    cwd: createTestFolder(),
    env: {
      TMPDIR: folder,
      HTTP_PROXY: 'http://127.0.0.1:1',
      IDPORT_URL: 'http://127.0.0.1:1',
      IDPORT_SHARED_STATE: 'redis://127.0.0.1:1',
    },
  });
  expect(stderr).toContain('9/9  End it');
  expect(stderr).toContain('chiyo-3-森: logged in (201)');
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(readdirSync(folder).filter((name) => name.startsWith('idport-'))).toEqual([]);
});
