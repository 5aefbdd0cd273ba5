/** What `--report` says of a conversion, a check or a one-by-one import; the JSON form is `wire/report.ts`. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCounted, formatSeconds } from '../../lib/quantity.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';
import { summarize, type Summary, type VerbWords, wordsOf } from '../../records/summary.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note, Origin } from '../../records/user.ts';
import type { Notice, PlaceList } from '../../sources/source.ts';
import type { ReportContents, ReportWriter } from './report.ts';

export interface ReportedRun {
  readonly verb: string;
  readonly inputs: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A record that needs attention; the others are only counted. */
export interface ReportEntry {
  readonly origin: Origin;
  readonly outcome: 'noted' | 'rejected' | 'skipped';
  readonly reasons: readonly Note[];
}

export interface ReportEnd {
  readonly tally: Tally;
  /** About the inputs as a whole. */
  readonly notices: readonly Notice[];
  readonly seconds: number;
  /** Why the run stopped before its end; the report is then about the users until there. */
  readonly stopped?: string | undefined;
}

export type ConversionReport = ReportWriter<ReportedRun, ReportEntry, ReportEnd>;

export const conversionReport: ReportContents<ReportedRun, ReportEntry, ReportEnd> = {
  json: {
    head: ({ verb, inputs, startedAt }) => ({
      format: 'idport-report',
      version: 1,
      verb,
      inputs,
      startedAt: new Date(startedAt),
    }),
    list: 'users',
    item: ({ origin: { input, index, id }, outcome, reasons: notes }) => ({
      input,
      index,
      id,
      outcome,
      reasons: notes.map(({ code, detail }) => ({
        code,
        ...(detail === undefined || detail === '' ? {} : { detail }),
        remedy: reasons[code].remedy,
      })),
    }),
    tail: ({ tally, notices, seconds, stopped }) => ({
      notices,
      seconds,
      ...(stopped === undefined ? {} : { stopped }),
      summary: summarize(tally),
    }),
  },
  page: {
    front: (run, end) => [
      ...formatTitle(run, end),
      ...formatSummary(summarize(end.tally), wordsOf(run.verb)),
      ...formatNotices(end.notices),
    ],
    rows: ({ origin: { input, index, id }, reasons: notes }) =>
      notes.map(({ code, detail = '' }) => ({ section: code, cells: [input, `#${index}`, id, detail] })),
    sections: (counts) =>
      [...counts].toSorted(byWeight).map(([code, count]) => {
        const { cause, consequence, remedy } = reasons[code as ReasonCode];
        return {
          section: code,
          heading: `${code}: ${formatCounted(count, 'user')}`,
          columns: ['input', 'record', 'id', 'detail'],
          intro: `${cause} ${consequence} ${remedy}`,
        };
      }),
    back: () => ['Reason codes are explained in docs/reasons.md of idport.'],
  },
};

const ranks = { rejected: 0, skipped: 1, note: 2 } as const;

/** Rejections first, then skipped users, then notes; the most frequent first. */
function byWeight([a, countOfA]: [string, number], [b, countOfB]: [string, number]): number {
  const rank = (code: string): number => ranks[reasons[code as ReasonCode].outcome];
  return rank(a) - rank(b) || countOfB - countOfA;
}

function formatTitle({ verb, inputs, startedAt }: ReportedRun, { seconds, stopped }: ReportEnd): string[] {
  const date = new Date(startedAt).toISOString();
  return [
    `# idport ${markdownText(verb)}`,
    '',
    `Started ${date}, ${stopped === undefined ? 'done in' : 'stopped after'} ${formatSeconds(seconds)}.`,
    '',
    ...(stopped === undefined
      ? []
      : [`**Not every user is in here: the run stopped.** ${markdownText(stopped)}`, '']),
    ...inputs.map((input) => `- input: ${markdownText(input)}`),
    '',
  ];
}

function formatSummary(summary: Summary, { taken, mails }: VerbWords): string[] {
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
      ['algorithm', 'users'],
      summary.passwords.map(({ family, count }) => [family === 'none' ? 'no password' : family, count]),
    ),
    ...markdownTable(
      'Password hashes that the target would refuse',
      ['algorithm', 'problem', 'remedy', 'users'],
      summary.refusals.map(({ family, problem, remedy, count }) => [family, problem, remedy, count]),
    ),
    ...markdownTable(
      'Not migrated',
      ['what', 'codes', 'users'],
      summary.notMigrated.map(({ kind, codes, count }) => [kind, codes.join(', '), count]),
    ),
    ...markdownTable(
      mails,
      ['why', 'users'],
      [
        ...summary.mails.map(({ cause, count }): [string, number] => [cause, count]),
        ...(summary.sms > 0 ? [['SMS with a code, where SMS is set up', summary.sms] as const] : []),
      ],
    ),
  ];
}

function formatNotices(notices: readonly Notice[]): string[] {
  if (notices.length === 0) return [];
  const lines = notices.flatMap(({ code, text: words, places = [] }) => [
    `- ${markdownText(code)}: ${markdownText(words)}`,
    ...places.map((list) => `  - ${markdownText(list.input)}: ${markdownText(formatRanges(list))}`),
  ]);
  return ['## The inputs', '', ...lines, ''];
}

/** Ranges of lines named under one notice. */
const shownRanges = 100;

function formatRanges({ ranges }: PlaceList): string {
  const shown = ranges
    .slice(0, shownRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const more =
    ranges.length > shownRanges ? ', and more: a report whose name ends in .json names them all' : '';
  return `lines ${shown.join(', ')}${more}`;
}
