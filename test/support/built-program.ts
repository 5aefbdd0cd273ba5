/** Bundles the program once before the tests: processes of their own start it many times faster than its sources. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a script without types.
import { bundle } from '../../scripts/bundle.js';

const folder = fileURLToPath(new URL(`../../dist-test-${process.pid}`, import.meta.url));

export async function setup(): Promise<void> {
  await bundle(folder);
  process.env['IDPORT_TEST_PROGRAM'] = `${folder}/cli/start.js`;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
