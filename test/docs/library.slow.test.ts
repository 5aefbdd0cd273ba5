/** The examples of docs/library.md, in their order, as programs that import the package. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as library from '../../src/index.ts';
import { createTestFolder, readProject, root, typicalRealm } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { blocksIn } from '../support/page.ts';
import { runCommand } from '../support/process.ts';

const examples = blocksIn(readProject('docs/library.md'), 'js');

it('docs/library.md has an example of each function', () => {
  const functions = Object.entries(library).filter(
    ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
  );
  const shown = examples.map((code) => /import \{ (\w+) \}/.exec(code)?.[1]);
  expect(new Set(shown)).toEqual(new Set(functions.map(([name]) => name)));
});

it('each example of docs/library.md does what its comment says', { timeout: 60_000 }, async () => {
  const folder = createTestFolder();
  const instance = await startInstance(createTestFolder(), 'library', { profile: 'hosted', orgId: '1' });
  onTestFinished(() => instance.close());
  mkdirSync(join(folder, 'node_modules'));
  const installed = process.env['IDPORT_PACKAGE'];
  const idport = installed === undefined ? root : join(installed, 'node_modules/idport');
  symlinkSync(idport, join(folder, 'node_modules/idport'));
  copyFileSync(typicalRealm, join(folder, 'realm.json'));
  const env = { IDPORT_URL: instance.url, IDPORT_TOKEN: instance.server.tokens.iamOwner };
  for (const [at, code] of examples.entries()) {
    writeFileSync(join(folder, `${at}.mjs`), code);
    const { stdout, ...ended } = await runCommand(process.execPath, [`${at}.mjs`], { cwd: folder, env });
    expect(ended).toEqual({ exitCode: 0, signal: null, stderr: '' });
    expect(stdout.trim()).toBe(/console\.log\(.*\/\/ (.*)/.exec(code)?.[1]);
  }
});
