/** Bundles the program once before the tests: processes of their own start it many times faster than its sources. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error: a script without types.
import { bundle } from '../../scripts/bundle.js';
import { root } from './folder.ts';

const folder = `${root}dist-test-${process.pid}`;

export async function setup() {
  removeLeftOver(root, 'dist-test-');
  removeLeftOver(tmpdir(), 'idport-test-');
  buildOnce();
  await bundle(folder);
  process.env['IDPORT_TEST_PROGRAM'] = `${folder}/cli/start.js`;
}

/** A fresh clone has no dist/, which the tests of the package, of the library and of report pages read. */
function buildOnce() {
  if (existsSync(`${root}dist/report-page/page.js`) && existsSync(`${root}dist/index.js`)) return;
  execFileSync(process.execPath, ['scripts/build.js'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** What runs that were killed have left: their folders are older than any run takes. */
function removeLeftOver(parent: string, prefix: string) {
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000;
  for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
    const path = join(parent, name);
    try {
      if (statSync(path).mtimeMs < dayAgo) rmSync(path, { recursive: true });
    } catch {
      // Another user's, or another run has just removed it.
    }
  }
}

export function teardown() {
  rmSync(folder, { recursive: true, force: true });
}
