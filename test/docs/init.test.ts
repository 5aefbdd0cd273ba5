import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

it('the screen of idport init in docs/config.md is what it prints', async () => {
  const cwd = createTestFolder();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  copyFileSync(join(root, 'fixtures/keycloak/typical/realm.json'), join(cwd, 'realm.json'));
  const { stdout } = await runProgram(['init', '--files=realm.json', '--rehearsal'], { cwd });
  const page = readFileSync(join(root, 'docs/config.md'), 'utf8');
  const [, screen] = /<!-- checked by test\/docs\/init.test.ts -->\n```text\n([^]*?)```/.exec(page) ?? [];
  expect(stdout).toBe(screen);
});
