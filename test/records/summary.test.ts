import { describe, expect, it } from 'vitest';
import { type ReasonCode, reasons } from '../../src/records/reasons.ts';
import { summarize, wordsOf } from '../../src/records/summary.ts';
import { count, countRefusal, emptyTally } from '../../src/records/tally.ts';

describe('summarize', () => {
  it('checks that the outcomes add up', () => {
    const whole = { ...emptyTally(), read: 10, written: 5, withNotes: 3, rejected: 1, skipped: 1 };
    expect(summarize(whole).addsUp).toBe(true);
    expect(summarize({ ...whole, written: 4 }).addsUp).toBe(false);
  });

  it('lists every reason code once under its outcome', () => {
    const tally = emptyTally();
    for (const code of Object.keys(reasons)) count(tally.reasons, code, 2);
    const { rejections, skips, notes } = summarize(tally);
    const told = [...rejections, ...skips, ...notes].map(({ code }) => code);
    expect(told.toSorted()).toEqual(Object.keys(reasons).toSorted());
    const outcomeOf = (code: string) => reasons[code as ReasonCode].outcome;
    expect(new Set(rejections.map(({ code }) => outcomeOf(code)))).toEqual(new Set(['rejected']));
    expect(new Set(skips.map(({ code }) => outcomeOf(code)))).toEqual(new Set(['skipped']));
    expect(new Set(notes.map(({ code }) => outcomeOf(code)))).toEqual(new Set(['note']));
  });

  it('sorts algorithms by count, then by name', () => {
    const tally = emptyTally();
    count(tally.passwords, 'none', 1);
    count(tally.passwords, 'bcrypt', 1);
    count(tally.passwords, 'pbkdf2-sha256', 7);
    expect(summarize(tally).passwords).toEqual([
      { algorithm: 'pbkdf2-sha256', count: 7 },
      { algorithm: 'bcrypt', count: 1 },
      { algorithm: 'none', count: 1 },
    ]);
  });

  it('groups refused hashes by algorithm, code and problem', () => {
    const tally = emptyTally();
    const refusal = {
      algorithm: 'argon2id',
      code: 'password:parameters-out-of-limits',
      problem: 'memory 7168 KiB is below the minimum of 8192 KiB',
      remedy: 'Set MINMEMORY=7168.',
    } as const;
    countRefusal(tally.refusals, refusal);
    countRefusal(tally.refusals, refusal, 2);
    countRefusal(tally.refusals, { ...refusal, problem: 'time 11 is above the maximum of 10' });
    expect(summarize(tally).refusals.map(({ count }) => count)).toEqual([3, 1]);
  });

  it('omits users who get no email', () => {
    const tally = emptyTally();
    count(tally.emails, 'none', 90);
    count(tally.emails, 'init-no-secret', 4);
    expect(summarize(tally).emails.map(({ kind, count }) => [kind, count])).toEqual([['init-no-secret', 4]]);
  });
});

it('wordsOf words a check as a forecast and an import as done', () => {
  expect(wordsOf('migrate keycloak')).toMatchObject({ taken: 'written' });
  expect(wordsOf('check').taken).toBe('would be written');
  expect(wordsOf('import-users')).toEqual({ taken: 'written', emails: 'Emails that are sent' });
});
