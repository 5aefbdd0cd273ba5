/** A run in, everything that it says on a screen or as events out: to search for what must not be there. */
import { encodeEvent } from '../../src/terminal/json.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createPlain } from '../../src/terminal/plain.ts';
import { createFakeClock } from './clock.ts';
import type { Ran } from './program.ts';

export function showEverything({ events, problem }: Ran): string {
  const shown: string[] = [];
  const emit = createPlain(
    { print: (lines) => shown.push(...lines), width: 100, paint: noPaint },
    createFakeClock(),
  );
  for (const event of [...events, ...(problem ? [problem] : [])]) {
    emit(event);
    shown.push(encodeEvent(event, { time: '', at: 0 }));
  }
  return shown.join('\n');
}
