import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../../src/events.ts';
import { describeProgress, findJournal, openJournal } from '../../../src/flows/resume/open-journal.ts';
import { createJournal } from '../../../src/journal/journal.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createTestFolder } from '../../support/folder.ts';
import { elsewhere, writeLock } from '../../support/lock-file.ts';
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
      ['users', 2],
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

describe('a journal that another run may be writing', () => {
  const header: JournalHeader = {
    verb: 'import',
    input: { name: 'x', bytes: 1, sha256: 'a' },
    url: '',
    orgs: [],
    plan: [['humanUsers', 1]],
    settings: {},
    startedAt: 0,
  };
  let path: string;
  let events: IdportEvent[];
  beforeEach(() => {
    path = join(createTestFolder(), 'x.journal');
    events = [];
  });
  const context = () => ({ emit: (event: IdportEvent) => void events.push(event), clock: createFakeClock() });

  it.each([
    ['finished', true],
    ['not finished', false],
  ])('and is %s, is neither renamed nor resumed, nor is any user asked', async (_, finished) => {
    const running = createJournal(path, header);
    if (finished) await running.finish(1);
    const before = readFileSync(path, 'utf8');
    const ask = (): Promise<boolean> => Promise.reject(new Error('asked'));
    for (const resume of [false, true]) {
      await expect(openJournal({ path, resume, ask }, header, context())).rejects.toThrow('another run');
    }
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['x.journal', 'x.journal.lock']);
    expect(readFileSync(path, 'utf8')).toBe(before);
    running.close();
  });

  it('on another machine, is taken over with --steal-lock, and a line says so', async () => {
    writeLock(`${path}.lock`, elsewhere);
    const journal = await openJournal({ path, resume: false, stealLock: true }, header, context());
    expect(events).toMatchObject([{ code: 'journal:taken-over', level: 'warning' }]);
    journal.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is free again when it could not be opened', async () => {
    await expect(openJournal({ path, resume: true }, header, context())).rejects.toThrow('no journal');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('in which nothing stands yet, is that of a run that has sent nothing', async () => {
    writeFileSync(path, '');
    expect(await findJournal(path)).toBeUndefined();
    const journal = await openJournal({ path, resume: false }, header, context());
    journal.close();
    expect((await findJournal(path))?.header.verb).toBe('import');
  });
});
