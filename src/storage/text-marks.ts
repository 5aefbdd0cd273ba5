/** A number for each of millions of texts, in a few bytes each; what no longer fits into memory goes into a spill file. */
import { randomInt } from 'node:crypto';
import { hashText } from '../compact/hash-text.ts';
import { SeenSet } from '../compact/seen-set.ts';
import { openSpillFile } from './spill-file.ts';

/** Only hashes are kept. Each run has a seed of its own, so that no input can have texts that are taken for one another. */
export function createTextMarks(seed = randomInt(2 ** 32)) {
  const seen = new SeenSet({ openSpillFile });
  const words = new Uint32Array(2);
  return {
    /** The number with which the text was added first, which stays; -1 for a new text. By default numbers rise from 0. */
    add(text: string, mark?: number): number {
      hashText(text, seed, words, 0);
      return seen.add(words[0]!, words[1]!, mark);
    },
    /** Harmless when called again. */
    close: (): void => seen.close(),
  };
}
