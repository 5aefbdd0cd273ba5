/** The package as `npm install --omit=optional` leaves it: everything works but buckets, and those say what is missing. */
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { richOrg } from '../support/rich-org.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  installWithoutOptional();
  instance = await startInstance(cwd, 'to');
  const org = richOrg('100', 'Acme', 'a', 3);
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: '1m' }));
});
afterEach(() => instance.close());

/** The built program with links to the dependencies that are neither optional nor for development. */
function installWithoutOptional(): void {
  cpSync(dirname(dirname(process.env['IDPORT_TEST_PROGRAM']!)), join(cwd, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(cwd, 'package.json'));
  for (const [path, { dev, optional }] of Object.entries<{ dev?: true; optional?: true }>(packages)) {
    if (!/^node_modules\/[^/]+(?:\/[^/]+)?$/.test(path) || dev === true || optional === true) continue;
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    symlinkSync(join(root, path), join(cwd, path));
  }
}

async function idport(...argv: string[]): Promise<{ exitCode: number | null; stderr: string }> {
  const child = spawn(process.execPath, [join(cwd, 'dist/cli/start.js'), ...argv], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const stderr = await text(child.stderr);
  return { exitCode: await closed, stderr };
}

it('imports, without the client of buckets', async () => {
  expect(readdirSync(join(cwd, 'node_modules'))).not.toContain('@google-cloud');
  const { exitCode, stderr } = await idport('import', 'body.json', ...instance.flags);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('users')]);
});

it('says which package --gcs needs and how to get it, in one line and without a stack', async () => {
  writeFileSync(join(cwd, 'gcs.json'), '{"client_email":"a@example.org","private_key":"key"}', {
    mode: 0o600,
  });
  const { exitCode, stderr } = await idport(
    'import',
    'body.json',
    ...instance.flags,
    '--gcs=gs://bucket/body.json',
    '--gcs-key=gcs.json',
  );
  expect(exitCode).toBe(1);
  expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
    'error: buckets need the package @google-cloud/storage',
    '  hint: Install idport again without --omit=optional.',
  ]);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(instance.server.state.store.users.has('a-user-0')).toBe(false);
});
