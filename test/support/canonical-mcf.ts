/** A hash string in the one encoding that is compared. */
import { isProblem } from '../../src/records/mcf/algorithm.ts';
import { recognise } from '../../src/records/mcf/recognise.ts';

export function canonicalMcf(mcf: string): string {
  const found = recognise(mcf);
  if (isProblem(found)) throw new Error(`${mcf}: ${found.detail}`);
  return found.mcf;
}
