import { describe, expect, it } from 'vitest';
import type { Emit, IdportEvent } from '../../src/events.ts';

import { createLive } from '../../src/terminal/live.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import type { Screen } from '../../src/terminal/screen.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';
import { exampleRun, type Timed } from '../support/events.ts';

/** A screen that remembers: `~` marks what the moving line showed. */
function createMemoryScreen(columns = 80): Screen & { drawn: string[] } {
  const drawn: string[] = [];
  return {
    drawn,
    columns: () => columns,
    show: (line) => drawn.push(`~ ${line}`),
    print: (lines) => drawn.push(...lines),
  };
}

async function play(run: readonly Timed[], emit: Emit, clock: FakeClock): Promise<void> {
  for (const [after, event] of run) {
    await clock.advance(after);
    emit(event);
  }
}

async function draw(run: readonly Timed[], columns?: number): Promise<string[]> {
  const clock = createFakeClock();
  const screen = createMemoryScreen(columns);
  await play(run, createLive(screen, clock, noPaint), clock);
  return screen.drawn;
}

describe('the screen of a watching user', () => {
  it('shows one moving line, what went wrong, and the summary at the end', async () => {
    const drawn = await draw(exampleRun);
    expect(drawn.slice(0, 5)).toEqual([
      '~ [##--------] 25 %, 250 users, 6.0 s left, 125/s, 250 kB of 1 MB',
      'rejected: realm.json #251 (mia): user-skipped:no-email',
      'warning: the realm half only',
      '~ [##--------] 25 %, waiting 30 s: the service asks to slow down, 250 users',
      '~ [#######---] 75 %, waiting 27 s: the service asks to slow down, 750 users',
    ]);
    expect(drawn.join('\n')).toContain('1,000 users read in 8.0 s');
  });

  it('does not flicker for a run that is over at once', async () => {
    const quick = exampleRun.map(([, event]): Timed => [0, event]);
    expect((await draw(quick)).filter((line) => line.startsWith('~'))).toEqual([]);
  });

  it.each<IdportEvent>([
    { type: 'output:closed' },
    { type: 'login:tried', userName: 'ann', succeeded: true, detail: '' },
  ])('takes the moving line away at %j', async (event) => {
    const clock = createFakeClock();
    const calls: string[] = [];
    const screen: Screen = {
      columns: () => 80,
      show: () => calls.push('show'),
      print: (lines) => calls.push(`print ${lines.length}`),
    };
    const emit = createLive(screen, clock, noPaint);
    await play(
      [...exampleRun.slice(0, 2), [500, { type: 'run:progress', bytes: 1, records: 1 }]],
      emit,
      clock,
    );
    emit(event);
    expect(calls).toEqual(['show', 'print 0']);
  });

  it('keeps the moving line on one line of a narrow terminal', async () => {
    const moving = (await draw(exampleRun, 40)).filter((line) => line.startsWith('~'));
    expect(Math.max(...moving.map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});
