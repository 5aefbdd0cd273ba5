import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createQuiet } from '../../src/terminal/quiet.ts';
import { formatEnd } from '../../src/terminal/summary.ts';

type UndoEnd = Extract<IdportEvent, { type: 'undo:end' }>;

const end: UndoEnd = {
  type: 'undo:end',
  verb: 'undo',
  users: { created: 1250, deleted: 1240, gone: 5, foreign: 1, changed: 3, refused: 1 },
  requests: 1260,
  seconds: 28,
};

it('says how many are gone, who stays and what to do about them', () => {
  expect(formatEnd(end, { files: [] }, 80)).toEqual([
    '',
    'Rollback of 1,250 users in 28 s, 1,260 requests',
    '  1,240  deleted',
    '      5  already deleted',
    '      1  another user has the name or id now: not deleted',
    '      3  changed since the import: not deleted',
    '      1  refused by the service',
    '',
    'Next',
    '  Check the users that were changed; the same command with --changed=delete',
    '  deletes them.',
    '  Resolve what the service gave as the reason, then run the same command again.',
  ]);
});

it('is silent where no user of the run is left', () => {
  const users = { created: 3, deleted: 3, gone: 0, foreign: 0, changed: 0, refused: 0 };
  expect(formatEnd({ ...end, users }, { files: [] }, 80)).toEqual([]);
});

it('is one line for a scheduler, and none where no user of the run is left', () => {
  const printed: string[] = [];
  const emit = createQuiet((lines) => printed.push(...lines), 80, noPaint);
  emit({ ...end, users: { ...end.users, changed: 0, refused: 0 } });
  expect(printed).toEqual([]);
  emit(end);
  expect(printed).toEqual(['3 changed since the import: not deleted, 1 refused by the service']);
});
