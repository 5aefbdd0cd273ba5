import { describe, expect, it } from 'vitest';
import { formatProgress } from '../../src/terminal/progress.ts';
import { idle, type RunState } from '../../src/terminal/run-state.ts';

const state: RunState = {
  ...idle(0),
  bytesTotal: 1_071_000_000,
  bytes: 450_000_000,
  records: 420_000,
};

describe('the line of progress', () => {
  it('says how far, how many, how long, how fast', () => {
    expect(formatProgress(state, 2000)).toBe('42 %, 420,000 users, 2.8 s left, 210,000/s, 450 MB of 1.07 GB');
  });

  it('tells no rate and no time left before there is a rate', () => {
    expect(formatProgress(state, 500)).toBe('42 %, 420,000 users, 450 MB of 1.07 GB');
  });

  it('leaves away what does not fit, the least important first', () => {
    expect(formatProgress(state, 2000, 40)).toBe('42 %, 420,000 users, 2.8 s left');
    expect(formatProgress(state, 2000, 20)).toBe('42 %, 420,000 users');
    expect(formatProgress(state, 2000, 3)).toBe('42');
    for (let width = 0; width < 90; width++) {
      expect(formatProgress(state, 2000, width).length).toBeLessThanOrEqual(width);
    }
  });

  it('says why it waits', () => {
    const waiting: RunState = { ...state, waiting: { reason: 'rate-limit', seconds: 90 } };
    expect(formatProgress(waiting, 2000)).toContain('waiting 1 min 30 s: the service asks to slow down');
  });

  it('goes by records where the bytes are not known', () => {
    const counted: RunState = { ...idle(0), recordsTotal: 200, records: 50 };
    expect(formatProgress(counted, 10_000)).toBe('25 %, 50 users, 30 s left, 5/s');
  });

  it('promises nothing where nobody knows how much there is', () => {
    const pipe: RunState = { ...idle(0), bytes: 2_000_000, records: 1 };
    expect(formatProgress(pipe, 2000)).toBe('1 user, 1/s, 2 MB');
  });

  it('never says more than 100 %', () => {
    expect(formatProgress({ ...state, bytes: 2_000_000_000 }, 2000)).toMatch(/^100 %, 420,000 users, \d/);
  });
});
