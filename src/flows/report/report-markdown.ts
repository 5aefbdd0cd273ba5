/**
 * Report entries in, a Markdown page for people out: the summary first, then the records, grouped
 * by what is the matter.
 */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/quantity.ts';
import { type Reason, type ReasonCode, reasons } from '../../records/reasons.ts';
import { summarize, type Summary } from '../../records/summary.ts';
import { type VerbWords, wordsOf } from '../../records/verb-words.ts';
import type { Note, Origin } from '../../records/user.ts';
import type { Notice, PlaceList } from '../../sources/source.ts';
import type { ReportedRun, ReportFormat } from './report.ts';

/** Records named under one reason; a page with more is not read, and memory stays flat. */
const shownPerReason = 100;

/** Runs of lines named under one notice. */
const shownRanges = 100;

interface Group {
  count: number;
  readonly shown: { origin: Origin; detail: string }[];
}

/** Everything is said at the end: only then the summary is known, and it has to stand in front. */
export function createMarkdownReport(): ReportFormat {
  const groups = new Map<ReasonCode, Group>();
  const notices: Notice[] = [];
  let run: ReportedRun | undefined;
  return {
    head: (started) => {
      run = started;
      return '';
    },
    entries: (entries) => {
      for (const { origin, reasons: notes } of entries)
        for (const note of notes) remember(groups, origin, note);
      return '';
    },
    notice: (notice) => {
      notices.push(notice);
    },
    tail: (tally, seconds, stopped) => {
      const lines = [
        ...title(run, seconds, stopped),
        ...overview(summarize(tally), wordsOf(run?.verb ?? '')),
        ...inputs(notices),
        ...details(groups),
        `Reason codes are explained in docs/reasons.md of idport.`,
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function remember(groups: Map<ReasonCode, Group>, origin: Origin, { code, detail = '' }: Note): void {
  let group = groups.get(code);
  if (!group) {
    group = { count: 0, shown: [] };
    groups.set(code, group);
  }
  group.count++;
  if (group.shown.length < shownPerReason) group.shown.push({ origin, detail });
}

function title(run: ReportedRun | undefined, seconds: number, stopped: string | undefined): string[] {
  if (!run) return [];
  const date = new Date(run.startedAt).toISOString();
  return [
    `# idport ${markdownText(run.verb)}`,
    '',
    `Begun ${date}, ${stopped === undefined ? 'done in' : 'stopped after'} ${formatSeconds(seconds)}.`,
    '',
    ...(stopped === undefined
      ? []
      : [`**Not everybody is in here: the run gave up.** ${markdownText(stopped)}`, '']),
    ...run.inputs.map((input) => `- input: ${markdownText(input)}`),
    '',
  ];
}

function overview(summary: Summary, { taken, mails }: VerbWords): string[] {
  const { read, written, withNotes, rejected, skipped } = summary;
  return [
    ...markdownTable(
      'Users',
      ['', 'users'],
      [
        ['read', read],
        [taken, written],
        [`${taken} with notes`, withNotes],
        ['rejected', rejected],
        ['skipped', skipped],
      ],
    ),
    summary.addsUp ? 'The counts add up.' : '**The counts do not add up. Please report this.**',
    '',
    ...markdownTable(
      'Passwords',
      ['family', 'users'],
      summary.passwords.map(({ family, count }) => [family === 'none' ? 'no password' : family, count]),
    ),
    ...markdownTable(
      'Password hashes that the target would not take',
      ['family', 'problem', 'remedy', 'users'],
      summary.refusals.map(({ family, problem, remedy, count }) => [family, problem, remedy, count]),
    ),
    ...markdownTable(
      'Not migrated',
      ['what', 'codes', 'people concerned'],
      summary.notMigrated.map(({ kind, codes, count }) => [kind, codes.join(', '), count]),
    ),
    ...markdownTable(
      mails,
      ['why', 'people'],
      [
        ...summary.mails.map(({ cause, count }): [string, number] => [cause, count]),
        ...(summary.sms > 0 ? [['SMS with a code, where SMS is set up', summary.sms] as const] : []),
      ],
    ),
  ];
}

function inputs(notices: readonly Notice[]): string[] {
  if (notices.length === 0) return [];
  const lines = notices.flatMap(({ code, text: words, places = [] }) => [
    `- ${markdownText(code)}: ${markdownText(words)}`,
    ...places.map((list) => `  - ${markdownText(list.input)}: ${markdownText(formatRanges(list))}`),
  ]);
  return ['## The inputs', '', ...lines, ''];
}

function formatRanges({ ranges }: PlaceList): string {
  const shown = ranges
    .slice(0, shownRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const more =
    ranges.length > shownRanges ? ', and more: a report whose name ends in .json names them all' : '';
  return `lines ${shown.join(', ')}${more}`;
}

/** Rejections first, then what was skipped, then notes; the most frequent first. */
function details(groups: Map<ReasonCode, Group>): string[] {
  const rank = { rejected: 0, skipped: 1, note: 2 } as const;
  const of = (code: ReasonCode): Reason => reasons[code];
  return [...groups]
    .sort(([a, m], [b, n]) => rank[of(a).outcome] - rank[of(b).outcome] || n.count - m.count)
    .flatMap(([code, group]) => [
      ...markdownTable(
        `${code}: ${formatCounted(group.count, 'user')}`,
        ['input', 'record', 'id', 'detail'],
        group.shown.map(({ origin, detail }) => [origin.input, `#${origin.index}`, origin.id, detail]),
        [`${of(code).cause} ${of(code).consequence} ${of(code).remedy}`, ''],
      ),
      ...cutNotice(group),
    ]);
}

function cutNotice({ count, shown }: Group): string[] {
  const hidden = count - shown.length;
  if (hidden === 0) return [];
  return [`And ${formatCount(hidden)} more; a report whose name ends in .json names them all.`, ''];
}
