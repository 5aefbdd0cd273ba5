/** A run in, everything that it says on a screen or as events out: to search for what must not be there. */
import { encodeEvent } from '../../src/terminal/json.ts';
import { linesOf } from './page.ts';
import type { Ran } from './program.ts';

export function showEverything({ events, problem }: Ran): string {
  const all = [...events, ...(problem ? [problem] : [])];
  const encoded = all.map((event) => encodeEvent(event, { time: '', at: 0 }));
  return [...linesOf(all, 100), ...encoded].join('\n');
}
