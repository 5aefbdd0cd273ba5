/** The path of a file that is missing in, names in its folder that look like it out. */
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Up to three names, the closest first; none when the folder cannot be read. */
export function similarNames(path: string): string[] {
  const wanted = basename(path).toLowerCase();
  const allowed = Math.max(2, Math.floor(wanted.length / 4));
  try {
    return readdirSync(dirname(path))
      .slice(0, 1000)
      .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
      .filter(({ name, distance }) => distance <= allowed || isExtended(wanted, name.toLowerCase()))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, 3)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** `realm.json` and `realm.json.gz`, or `realm` and `realm.json`. */
function isExtended(wanted: string, name: string): boolean {
  return name.startsWith(`${wanted}.`) || wanted.startsWith(`${name}.`);
}

/** How many letters have to be put in, taken out or changed. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      current.push(Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + change));
    }
    previous = current;
  }
  return previous[to.length]!;
}
