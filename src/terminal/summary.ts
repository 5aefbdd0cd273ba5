/** The summary at the end of every run. */
import type { EventOf } from '../events.ts';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatSeconds,
  printable,
  nameWithId,
} from '../lib/format.ts';
import { remediesOf, undoOutcomes, undoSection, verifySections } from '../records/outcomes.ts';
import {
  nameOfList,
  reasonSections,
  runSections,
  type Row,
  type Section,
  waysSection,
} from '../records/sections.ts';
import { summarize } from '../records/summary.ts';
import { afterVerify, nextSteps } from './next.ts';
import { noPaint, type Paint } from './paint.ts';
import type { RunState } from './run-state.ts';
import { wrap } from './text.ts';

type RunEnd = EventOf<'run:end' | 'export:end' | 'verify:end' | 'undo:end'>;
type Ended = Pick<RunState, 'files'> & Partial<Pick<RunState, 'forecast' | 'flags' | 'command'>>;

/** Returns no lines for a rollback that deleted every user of the run. Empty sections are left out. */
export function formatEnd(end: RunEnd, state: Ended, width: number, paint: Paint = noPaint) {
  if (end.type === 'undo:end' && end.users.deleted === end.users.created) return [];
  const { sections, next } = describeEnd(end, state);
  const rows = state.files.map(({ path, what, bytes }) => ({
    text: `${path === '-' ? 'standard output' : path} (${what}, ${formatBytes(bytes)})`,
  }));
  const files = { title: 'Files', rows };
  const steps = { title: 'Next', rows: next.map((text) => ({ text })) };
  return formatSections([...sections, files, steps], width, paint);
}

function describeEnd(end: RunEnd, { files, flags = [], command = '', forecast }: Ended) {
  switch (end.type) {
    case 'run:end': {
      const { verb, tally, seconds } = end;
      const summary = summarize(tally, flags);
      return {
        sections: [...runSections(summary, verb, seconds), ...reasonSections(summary), waysSection(forecast)],
        next: nextSteps({ verb, summary, files, flags, command }),
      };
    }
    case 'export:end':
      return { sections: exportSections(end), next: [] };
    case 'verify:end':
      return { sections: verifySections(end), next: afterVerify(end, { files, flags }) };
    case 'undo:end': {
      const time = `${formatSeconds(end.seconds)}, ${formatCounted(end.requests, 'request')}`;
      return { sections: [undoSection(end.users, time)], next: remediesOf(undoOutcomes, end.users) };
    }
  }
}

function exportSections({ orgs, lost, seconds }: EventOf<'export:end'>): Section[] {
  const users = orgs.reduce((sum, { counts }) => sum + (counts['humanUsers'] ?? 0), 0);
  const title = `${formatCounted(orgs.length, 'organization')}, ${formatCounted(users, 'user')} in ${formatSeconds(seconds)}`;
  const rows = orgs.map(({ orgId, name, counts, passwords, otp }) => ({
    text: `${nameWithId(name, orgId)}: ${contents(counts, passwords, otp)}`,
  }));
  const notExported = lost.map((text) => ({ text }));
  return [
    { title, rows },
    { title: 'Not in the export', tone: 'warning', rows: notExported },
  ];
}

function contents(counts: Readonly<Record<string, number>>, passwords: number, otp: number) {
  const parts = Object.entries(counts).map(
    ([list, count]) => `${formatCount(count)} ${nameOfList(list, count)}`,
  );
  if (passwords > 0) parts.push(formatCounted(passwords, 'password hash', 'password hashes'));
  if (otp > 0) parts.push(formatCounted(otp, 'TOTP secret'));
  return parts.length === 0 ? 'empty' : parts.join(', ');
}

/** Leaves out hashes that are not written and rows beyond the limit of a section. */
function shownOnScreen({ rows, shown = rows.length, ...section }: Section): Section {
  const written = rows.filter(({ count, before }) => count !== 0 || before === undefined);
  const more = written.length - shown;
  const rest = { text: `and ${formatCount(more)} more: --report=<file> lists all` };
  return { ...section, rows: more > 0 ? [...written.slice(0, shown), rest] : written };
}

/** Leaves out empty sections. All counts are aligned in one column. */
function formatSections(sections: readonly Section[], width: number, paint: Paint) {
  const shown = sections.map(shownOnScreen).filter(({ rows }) => rows.length > 0);
  const counts = shown.flatMap(({ rows }) => rows.flatMap(({ count }) => count ?? []));
  const countWidth = Math.max(0, ...counts.map((count) => formatCount(count).length));
  return shown.flatMap(({ title, rows, tone }) => [
    '',
    ...wrap(printable(title), width, '', 2).map((line) =>
      tone === undefined ? paint.title(line) : paint.title(paint[tone](line)),
    ),
    ...rows.flatMap((row) => formatRow(row, countWidth, width, paint)),
  ]);
}

function formatRow(row: Row, countWidth: number, width: number, paint: Paint) {
  const head = row.count === undefined ? '  ' : `  ${formatCount(row.count).padStart(countWidth)}  `;
  const lines = wrap(printable(row.text), width, head);
  const mark = row.tone === undefined ? undefined : paint[row.tone];
  const remarks = (row.remarks ?? []).flatMap((remark) =>
    wrap(printable(remark), width, ' '.repeat(head.length + 2)).map(paint.faint),
  );
  return [...(mark ? lines.map(mark) : lines), ...remarks];
}
