/** Makes an input of each number, tries it with one target, and reports the finds. */
import { drawFrom, inputSeed } from './draw.ts';
import { type Find, shrink, tryInput } from './find.ts';
import type { FuzzTarget } from './target.ts';

export interface TargetRun {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Milliseconds that one input may take. */
  readonly patience: number;
  /** Milliseconds, on whatever clock the patience is meant. */
  readonly now: () => number;
  /** Called before each input; true ends the run. */
  readonly before: (index: number) => boolean;
  readonly found: (find: Find) => void;
}

/** A target stops after so many finds. */
const enough = 5;

/** Returns how many inputs were tried. */
export async function runTarget(
  target: FuzzTarget,
  { seed, from, to, patience, now, before, found }: TargetRun,
) {
  const opened = await target.open();
  let finds = 0;
  let index = from;
  try {
    for (; index < to && finds < enough; index++) {
      if (before(index)) break;
      const own = inputSeed(seed, target.name, index);
      const drawn = opened.make(drawFrom(own));
      const begin = now();
      const failure = await tryInput(opened, drawn, own);
      const slow = now() - begin > patience;
      if (failure === undefined && !slow) continue;
      finds += 1;
      const kind = failure?.kind ?? 'slow';
      const input = failure === undefined ? drawn : await shrink(opened, drawn, own, kind);
      await opened.renew?.();
      const again = await tryInput(opened, input, own);
      found({
        target: target.name,
        seed,
        index,
        kind,
        message: (again ?? failure)?.message ?? `took longer than ${patience} ms`,
        input: input.toString('base64'),
        drawn: drawn.toString('base64'),
      });
    }
    return index - from;
  } finally {
    await opened.close?.();
  }
}
