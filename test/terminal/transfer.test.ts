import { expect, it } from 'vitest';
import type { IdportEvent, ListCounts } from '../../src/events.ts';
import { formatEnd } from '../../src/terminal/summary.ts';

const none = { created: 0, existed: 0, failed: 0, rejected: 0 };

function linesOf(lists: readonly ListCounts[]): string[] {
  const end: Extract<IdportEvent, { type: 'import:end' }> = {
    type: 'import:end',
    verb: 'import',
    lists,
    reasons: [],
    requests: 2,
    seconds: 3,
  };
  return formatEnd(end, { files: [] }, 80);
}

it('a bulk import is told in the words of the other verbs', () => {
  const users = {
    ...none,
    list: 'humanUsers',
    total: 12,
    created: 7,
    existed: 1,
    unchanged: 2,
    withNotes: 6,
  };
  expect(linesOf([{ ...users, failed: 1, rejected: 1 }]).slice(0, 10)).toEqual([
    '',
    '12 users in 3.0 s, 2 requests',
    '  7  written (6 with notes)',
    '  2  rejected',
    '       1 refused by the service',
    '       1 not sent: the service would refuse them',
    '  3  skipped',
    '       1 already existed',
    '       2 unchanged since the previous run',
    '  The counts add up: 7 + 2 + 3 = 12.',
  ]);
});
