import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createQuiet } from '../../src/terminal/quiet.ts';
import { formatUndoEnd } from '../../src/terminal/undone.ts';

type UndoEnd = Extract<IdportEvent, { type: 'undo:end' }>;

const end: UndoEnd = {
  type: 'undo:end',
  verb: 'undo',
  people: { created: 1250, deleted: 1240, gone: 5, foreign: 1, changed: 3, refused: 1 },
  requests: 1260,
  seconds: 28,
};

it('says how many are gone, who stays and what to do about them', () => {
  expect(formatUndoEnd(end, 80, noPaint)).toEqual([
    '',
    '1,250 people of the run undone in 28 s, 1,260 requests',
    '  1,240  deleted',
    '      5  not there any more',
    '      1  somebody else has the name or id by now: left alone',
    '      3  changed since the run: left alone',
    '      1  refused by the service',
    '',
    'Next',
    '  Look at those who were changed; the same command with --changed=delete deletes',
    '  them.',
    '  Remove what the service named as the reason, then give the same command again.',
  ]);
});

it('is silent where nobody of the run is left', () => {
  const people = { created: 3, deleted: 3, gone: 0, foreign: 0, changed: 0, refused: 0 };
  expect(formatUndoEnd({ ...end, people }, 80, noPaint)).toEqual([]);
});

it('is one line for a scheduler, and none where nobody of the run is left', () => {
  const printed: string[] = [];
  const emit = createQuiet((lines) => printed.push(...lines), 80, noPaint);
  emit({ ...end, people: { ...end.people, changed: 0, refused: 0 } });
  expect(printed).toEqual([]);
  emit(end);
  expect(printed).toEqual([
    '3 changed since the run and left alone, 1 not deleted, because the service refused',
  ]);
});
