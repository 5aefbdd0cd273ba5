/** The people of a run in, those out whose id another one of the run had before them. */
import { createFingerprints } from '../../lib/fingerprints.ts';
import { hashText } from '../../lib/hash-text.ts';
import { openShelf } from '../../storage/shelf.ts';
import type { Entry } from '../../targets/bulk/entry.ts';

export interface RepeatWatch {
  watch(entry: Entry): void;
  isRepeat(entry: Entry): boolean;
  /** Nobody can be watched any more. */
  close(): void;
}

/** A few bytes a person. `seed` is any 32-bit number, another one in every run. */
export function createRepeatWatch(seed: number): RepeatWatch {
  const fingerprints = createFingerprints({ openShelf });
  const repeated = new Set<number>();
  const words = new Uint32Array(2);
  return {
    watch({ number, person }) {
      if (person === undefined || person.id === '') return;
      hashText(person.id, seed, words, 0);
      const holder = fingerprints.claim(words[0]!, words[1]!, number);
      if (holder !== -1 && holder !== number) repeated.add(number);
    },
    isRepeat: ({ number }) => repeated.has(number),
    close: () => fingerprints.close(),
  };
}
