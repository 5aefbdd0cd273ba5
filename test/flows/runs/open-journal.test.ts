import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../../src/events.ts';
import {
  describeProgress,
  findJournal,
  openJournal,
  type JournalOptions,
} from '../../../src/flows/runs/open-journal.ts';
import { createJournal, header } from '../../support/journal.ts';
import { contextOf } from '../../support/service.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createTestFolder, elsewhere, writeLock } from '../../support/folder.ts';
import type { JournalHeader } from '../../../src/journal/lines.ts';
import { JournalProgress, State } from '../../../src/journal/load.ts';

const { none, open, created, existed, failed, unchanged } = State;
const everything: JournalHeader['plan'] = [
  ['org', 1],
  ['humanUsers', 3],
  ['machineUsers', 1],
  ['userMetadata', 2],
];
const single: JournalHeader['plan'] = [
  ['users', 2],
  ['followUps', 4],
];
/** `ends` are the states of the first entries. */
it.each<[what: string, about: Partial<JournalHeader>, ends: readonly State[], told: string]>([
  [
    'users, and of those who were sent how many failed',
    { plan: [['humanUsers', 1500]] },
    [created, existed, failed, unchanged, open, none],
    '3 of 1,500 users are done, 1 failed',
  ],
  [
    'both kinds of users, and apart from them what else is in the body',
    { plan: everything },
    [created, created, open, created, created, failed],
    '3 of 4 users are done; 1 of 3 other entries, 1 failed',
  ],
  [
    'users without the calls that may never be needed',
    { verb: 'import-users', plan: single },
    [created, none, created],
    '1 of 2 users are done',
  ],
  [
    'who is deleted, of those who were to be',
    { verb: 'undo', plan: [['entries', 9]], settings: { confirmed: '3' } },
    [none, created, none, created],
    '2 of 3 users are deleted',
  ],
  ['one user as one', { plan: [['humanUsers', 1]] }, [], '0 of 1 user is done'],
])('describeProgress tells %s', (_, about, ends, told) => {
  const all = { ...header, ...about };
  const journal = new JournalProgress('', all);
  for (const [entry, state] of ends.entries()) journal.states.set([entry], state);
  expect(describeProgress(journal)).toBe(told);
});

it('describeProgress of a finished run counts users not sent', () => {
  const journal = new JournalProgress('', { ...header, plan: [['humanUsers', 3]] });
  journal.states.set([0], created);
  journal.endedAt = 1;
  expect(describeProgress(journal)).toBe('1 of 3 users are done, 2 not sent');
});

describe('openJournal', () => {
  let path: string;
  let events: IdportEvent[];
  beforeEach(() => {
    path = join(createTestFolder(), 'x.journal');
    events = [];
  });
  const opened = (options: Partial<JournalOptions> = {}) =>
    openJournal({ path, resume: false, ...options }, header, contextOf({ events, clock: createFakeClock() }));

  it.each([
    ['finished', true],
    ['not finished', false],
  ])('neither renames nor resumes a locked journal, nor asks the user (run %s)', async (_, finished) => {
    const running = createJournal(path, header);
    if (finished) await running.finish(1);
    const before = readFileSync(path, 'utf8');
    const ask = () => Promise.reject(new Error('asked'));
    for (const resume of [false, true]) {
      await expect(opened({ resume, ask })).rejects.toThrow('another run');
    }
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['x.journal', 'x.journal.lock']);
    expect(readFileSync(path, 'utf8')).toBe(before);
    running.close();
  });

  it('takes over the lock of another machine with --steal-lock and a warning', async () => {
    writeLock(`${path}.lock`, elsewhere);
    const journal = await opened({ stealLock: true });
    expect(events).toMatchObject([{ code: 'journal:taken-over', level: 'warning' }]);
    journal.close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('releases the lock if it fails', async () => {
    await expect(opened({ resume: true })).rejects.toThrow('no journal');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it.each(['', '.undo'])(
    'follows the previous run, also if a run was killed after it renamed x.journal%s',
    async (last) => {
      const before = createJournal(path, header);
      before.close();
      const undo = { ...header, verb: 'undo', settings: { startedAt: '0' } };
      createJournal(`${path}.undo`, undo).close();
      renameSync(path, `${path}.1`);
      if (last === '.undo') renameSync(`${path}.undo`, `${path}.1.undo`);
      createJournal(`${path}.2`, { ...header, url: 'https://other.example' }).close();
      const journal = await opened();
      journal.close();
      expect(journal.header.follows).toEqual(['x.journal.1']);
      expect(readdirSync(dirname(path)).toSorted()).toEqual([
        'x.journal',
        'x.journal.1',
        'x.journal.1.undo',
        'x.journal.2',
      ]);
    },
  );

  it('has a run resumed that another process began and left meanwhile', async () => {
    createJournal(path, { ...header, settings: { ...header.settings, fingerprints: 'x' } }).close();
    await expect(opened()).rejects.toThrow('a previous run is not finished');
  });

  it.each([0, 50])('treats a journal cut off at %j as that of a run that sent nothing', async (end) => {
    createJournal(path, header).close();
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, end));
    expect(await findJournal(path)).toBeUndefined();
    const journal = await opened();
    journal.close();
    expect((await findJournal(path))?.header.verb).toBe('import');
  });
});
