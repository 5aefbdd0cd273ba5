/** The summary of a rollback; nothing where every user of the run was deleted. */
import type { IdportEvent } from '../events.ts';
import { formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { noPaint, type Paint } from './paint.ts';
import { formatSections, type Row } from './sections.ts';

type UndoEnd = Extract<IdportEvent, { type: 'undo:end' }>;

export function formatUndoEnd(end: UndoEnd, width: number, paint: Paint = noPaint): string[] {
  const { users, requests, seconds } = end;
  const { created, deleted, gone, foreign, changed, refused } = users;
  if (deleted === created) return [];
  const rows: Row[] = [
    { count: deleted, text: 'deleted', tone: 'good' },
    { count: gone, text: 'already deleted' },
    { count: foreign, text: 'another user has the name or id now: not deleted' },
    {
      count: changed,
      text: 'changed since the import: not deleted',
      ...(changed > 0 ? { tone: 'warning' } : {}),
    },
    { count: refused, text: 'refused by the service', ...(refused > 0 ? { tone: 'bad' } : {}) },
  ];
  const title =
    `Rollback of ${formatCounted(created, 'user')} in ${formatSeconds(seconds)}, ` +
    formatCounted(requests, 'request');
  return formatSections(
    [
      { title, rows },
      { title: 'Next', rows: next(end) },
    ],
    width,
    paint,
  );
}

/** One line, only where a user of the run still exists. */
export function formatQuietUndoEnd({ users: { changed, refused } }: UndoEnd): string[] {
  const parts = [
    changed > 0 ? `${formatCount(changed)} changed since the import and not deleted` : '',
    refused > 0 ? `${formatCount(refused)} not deleted, because the service refused` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function next({ users: { changed, refused } }: UndoEnd): Row[] {
  const rows: Row[] = [];
  if (changed > 0) {
    rows.push({
      text: 'Check the users that were changed; the same command with --changed=delete deletes them.',
    });
  }
  if (refused > 0) {
    rows.push({ text: 'Resolve what the service gave as the reason, then run the same command again.' });
  }
  return rows;
}
