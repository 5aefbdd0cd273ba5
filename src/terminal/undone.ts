/** The end of an undo in, the lines that people read about it out: none where everybody of the run was deleted. */
import type { IdportEvent } from '../events.ts';
import { formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { noPaint, type Paint } from './paint.ts';
import { formatSections, type Row } from './sections.ts';

type UndoEnd = Extract<IdportEvent, { type: 'undo:end' }>;

export function formatUndoEnd(end: UndoEnd, width: number, paint: Paint = noPaint): string[] {
  const { people, requests, seconds } = end;
  const { created, deleted, gone, foreign, changed, refused } = people;
  if (deleted === created) return [];
  const rows: Row[] = [
    { count: deleted, text: 'deleted', tone: 'good' },
    { count: gone, text: 'not there any more' },
    { count: foreign, text: 'somebody else has the name or id by now: left alone' },
    {
      count: changed,
      text: 'changed since the run: left alone',
      ...(changed > 0 ? { tone: 'warning' } : {}),
    },
    { count: refused, text: 'refused by the service', ...(refused > 0 ? { tone: 'bad' } : {}) },
  ];
  const title =
    `${formatCounted(created, 'person', 'people')} of the run undone in ${formatSeconds(seconds)}, ` +
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

/** One line, only where somebody of the run is still there. */
export function formatQuietUndoEnd({ people: { changed, refused } }: UndoEnd): string[] {
  const parts = [
    changed > 0 ? `${formatCount(changed)} changed since the run and left alone` : '',
    refused > 0 ? `${formatCount(refused)} not deleted, because the service refused` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function next({ people: { changed, refused } }: UndoEnd): Row[] {
  const rows: Row[] = [];
  if (changed > 0) {
    rows.push({
      text: 'Look at those who were changed; the same command with --changed=delete deletes them.',
    });
  }
  if (refused > 0) {
    rows.push({ text: 'Remove what the service named as the reason, then give the same command again.' });
  }
  return rows;
}
