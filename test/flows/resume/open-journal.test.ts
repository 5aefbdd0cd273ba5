import { describe, expect, it } from 'vitest';
import { describeProgress } from '../../../src/flows/resume/open-journal.ts';
import type { JournalHeader } from '../../../src/journal/lines.ts';
import { State, States } from '../../../src/journal/states.ts';

type Plan = JournalHeader['plan'];

/** `ends` are the states of the first entries. */
function progressOf(
  verb: string,
  plan: Plan,
  ends: readonly State[],
  settings: Record<string, string> = {},
): string {
  const states = new States(plan.reduce((sum, [, count]) => sum + count, 0));
  for (const [entry, state] of ends.entries()) states.set([entry], state);
  const input = { name: 'x', bytes: 1, sha256: '' };
  const header: JournalHeader = { verb, input, url: '', orgs: [], plan, settings, startedAt: 0 };
  return describeProgress({ header, states });
}

const { none, open, created, existed, failed, unchanged } = State;

describe('how far a run had come', () => {
  it('is told in users, whatever became of them, and not in entries of the journal', () => {
    const plan: Plan = [['humanUsers', 1500]];
    expect(progressOf('import', plan, [created, existed, failed, unchanged, open, none])).toBe(
      '4 of 1,500 users are done',
    );
  });

  it('of an import counts both kinds of users, and apart from them what else is in the body', () => {
    const plan: Plan = [
      ['org', 1],
      ['humanUsers', 3],
      ['machineUsers', 1],
      ['userMetadata', 2],
    ];
    expect(progressOf('import', plan, [created, created, open, created, created])).toBe(
      '3 of 4 users are done, and 1 of 3 other entries',
    );
  });

  it('of a one-by-one import leaves out the places of calls that may never be needed', () => {
    const plan: Plan = [
      ['people', 2],
      ['followUps', 4],
      ['userMetadata', 0],
      ['userLinks', 0],
    ];
    expect(progressOf('import-users', plan, [created, none, created])).toBe('1 of 2 users are done');
  });

  it('of an undo counts who is deleted, of those who were to be', () => {
    const ends = [none, created, none, created];
    expect(progressOf('undo', [['entries', 9]], ends, { confirmed: '3' })).toBe('2 of 3 users are deleted');
  });

  it('of one user is one', () => {
    expect(progressOf('import', [['humanUsers', 1]], [])).toBe('0 of 1 user is done');
  });
});
