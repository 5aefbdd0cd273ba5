/** The fixtures, as inputs to change and as pieces to insert. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fixture } from '../support/folder.ts';

/** Large inputs make slow runs and find nothing more. */
const largest = 16 * 1024;

/** Inputs of a provider whose file names begin with one of `names`; expected results are left out. */
export function readFixtures(provider: string, names: readonly string[] = ['']) {
  return readdirSync(fixture(provider), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('expected'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => names.some((name) => basename(path).startsWith(name)))
    .toSorted()
    .map((path) => (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)))
    .filter(({ length }) => length <= largest);
}
