/** The path of a file that is missing in, names in its folder that look like it out. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { nearest } from '../lib/nearest.ts';

/** Up to three names, the closest first; none when the folder cannot be read. */
export function similarNames(path: string): string[] {
  try {
    return nearest(basename(path), readdirSync(dirname(path)).slice(0, 1000), isExtended);
  } catch {
    return [];
  }
}

/** `realm.json` and `realm.json.gz`, or `realm` and `realm.json`. */
function isExtended(wanted: string, name: string): boolean {
  return name.startsWith(`${wanted}.`) || wanted.startsWith(`${name}.`);
}
