import { describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { formatBar, formatProgress } from '../../src/terminal/progress.ts';
import { nextState, idle, type RunState } from '../../src/terminal/run-state.ts';

const state: RunState = {
  ...idle(0),
  bytesTotal: 1_071_000_000,
  bytes: 450_000_000,
  records: 420_000,
};

describe('formatProgress', () => {
  const unanswered = { ...idle(0), waiting: { reason: 'unreachable', since: 0, until: 1000 } } as const;
  it.each<[string, RunState, number, number | undefined, string]>([
    [
      'shows all parts',
      state,
      2000,
      undefined,
      '42 %, 420,000 users, 2.8 s left, 210,000/s, 450 MB of 1.07 GB',
    ],
    [
      'shows no rate or time left at the start',
      state,
      500,
      undefined,
      '42 %, 420,000 users, 450 MB of 1.07 GB',
    ],
    ['drops the least important parts in a narrow line', state, 2000, 40, '42 %, 420,000 users, 2.8 s left'],
    ['keeps the percentage', state, 2000, 3, '42'],
    ['counts a wait without an end up', unanswered, 3000, undefined, 'waiting for 3.0 s: no answer'],
    [
      'uses records if the bytes are unknown',
      { ...idle(0), recordsTotal: 200, records: 50 },
      10_000,
      undefined,
      '25 %, 50 users, 30 s left, 5/s',
    ],
  ])('%s', (_, shown, now, width, text) => {
    expect(formatProgress(shown, now, width)).toBe(text);
  });

  it('fits any width', () => {
    for (let width = 0; width < 90; width++) {
      expect(formatProgress(state, 2000, width).length).toBeLessThanOrEqual(width);
    }
  });

  it('keeps waiting while answers arrive', () => {
    const progress: IdportEvent = { type: 'run:progress', bytes: 0, records: 10 };
    const waiting = nextState(state, { type: 'run:waiting', reason: 'rate-limit', seconds: 60 }, 2000);
    expect(formatProgress(nextState(waiting, progress, 3000), 3000)).toContain('waiting 59 s');
    expect(formatProgress(nextState(waiting, progress, 62_000), 62_000)).not.toContain('waiting');
  });
});

/** Plays progress that comes every so many milliseconds; `done` says how many records there are after so many seconds. */
function play(
  start: Partial<Extract<IdportEvent, { type: 'run:start' }>>,
  seconds: number,
  progress: (second: number) => { bytes?: number; records: number; before?: number },
) {
  let state = nextState(idle(0), { type: 'run:start', verb: 'x', inputs: [], bytes: undefined, ...start }, 0);
  for (let tick = 0; tick <= seconds * 10; tick++) {
    state = nextState(state, { type: 'run:progress', bytes: 0, ...progress(tick / 10) }, tick * 100);
  }
  return { state, now: seconds * 1000 };
}

it.each<[string, Parameters<typeof play>, string]>([
  [
    'count only the work of this run',
    [{ records: 30_000 }, 60, (second) => ({ records: 20_000 + 45 * second, before: 20_000 })],
    '75 %, 22,700 users, 2 min 42 s left, 45/s',
  ],
  [
    'are those of the last half minute',
    [{ records: 10_000 }, 100, (second) => ({ records: Math.min(100 * second, 5400 + 10 * second) })],
    '64 %, 6,400 users, 6 min left, 10/s',
  ],
  [
    'are by the known rate in the first seconds',
    [{ records: 9000, perSecond: 45 }, 0.2, () => ({ records: 0 })],
    '0 %, 0 users, 3 min 20 s left',
  ],
  [
    'are by the clock after these',
    [{ records: 9000, perSecond: 45 }, 10, (second) => ({ records: 30 * second })],
    '3 %, 300 users, 4 min 50 s left, 30/s',
  ],
  [
    'go by bytes where these are known',
    [{ bytes: 1_000_000 }, 40, (second) => ({ bytes: 10_000 * second, records: 10 * second })],
    '40 %, 400 users, 1 min left, 10/s, 400 kB of 1 MB',
  ],
])('rate and time left %s', (_, played, shown) => {
  const { state, now } = play(...played);
  expect(formatProgress(state, now)).toBe(shown);
  expect(state.samples.length).toBeLessThan(70);
});

it('rate and time left count a pause as time and stop forecasting without progress', () => {
  const { state } = play({ records: 1000 }, 20, (second) => ({ records: 10 * second }));
  expect(formatProgress(state, 25_000)).toBe('20 %, 200 users, 1 min 40 s left, 8/s');
  expect(formatProgress(state, 80_000)).toBe('20 %, 200 users, last progress 1 min ago');
});

it('rate and time left restart with the next part of the run', () => {
  const { state, now } = play({ records: 100 }, 10, (second) => ({ records: 10 * second }));
  const next = nextState(
    state,
    { type: 'run:start', verb: 'x', inputs: [], bytes: undefined, records: 50 },
    now,
  );
  expect(formatProgress(next, now + 2000)).toBe('0 %, 0 users');
});

it('formatBar shows the bar if the line is wide enough', () => {
  expect(formatBar(state, 2000, 77)).toBe(
    '[####------] 42 %, 420,000 users, 2.8 s left, 210,000/s, 450 MB of 1.07 GB',
  );
  expect(formatBar(state, 2000, 40)).toBe('42 %, 420,000 users, 2.8 s left');
  expect(formatBar({ ...state, bytes: 2_000_000_000 }, 2000, 77)).toMatch(/^\[#{10}\] 100 %/);
});

it('formatBar omits the bar if the total is unknown', () => {
  expect(formatBar({ ...idle(0), records: 7 }, 0, 77)).toBe('7 users');
});
