/** Bundles the program once before the tests: processes of their own start it many times faster than its sources. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a script without types.
import { bundle } from '../../scripts/bundle.js';

export default async function setup(): Promise<() => void> {
  const folder = fileURLToPath(new URL(`../../dist-test-${process.pid}`, import.meta.url));
  await bundle(folder);
  process.env['IDPORT_TEST_PROGRAM'] = `${folder}/cli/start.js`;
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
