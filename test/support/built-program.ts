/** Bundles the program once before the tests: processes of their own start it many times faster than its sources. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a script without types.
import { bundle } from '../../scripts/bundle.js';

const folder = fileURLToPath(new URL(`../../dist-test-${process.pid}`, import.meta.url));

export async function setup(): Promise<void> {
  buildOnce();
  await bundle(folder);
  process.env['IDPORT_TEST_PROGRAM'] = `${folder}/cli/start.js`;
}

/** A fresh clone has no dist/, which the tests of the package, of the library and of report pages read. */
function buildOnce(): void {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  if (existsSync(`${root}dist/report-page/page.js`) && existsSync(`${root}dist/index.js`)) return;
  execFileSync(process.execPath, ['scripts/build.js'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
