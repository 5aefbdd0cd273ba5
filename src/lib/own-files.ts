/** Files that belong to the program: in its package, or inside the executable (scripts/executable.js). */
import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

/** Whether the program is a single executable that contains Node. */
export const isExecutable = isSea();

/**
 * Returns the text of a file of the program. `place` is its location in the package; the executable knows it by its name alone.
 */
export function readOwnFile(place: URL) {
  return isExecutable ? getAsset(nameOf(place), 'utf8') : readFileSync(place, 'utf8');
}

const nameOf = ({ pathname }: URL) => pathname.slice(pathname.lastIndexOf('/') + 1);
