/** What `--report` says of a conversion, a check or a one-by-one import; the JSON form is `wire/report.ts`. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCounted, formatSeconds } from '../../lib/quantity.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';
import { remedyOf, summarize, type Summary, type VerbWords, wordsOf } from '../../records/summary.ts';
import { explainSignIn, signInLines, type SignInKind } from '../../records/sign-in.ts';
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
  /** As far as they could be read; else empty. */
  readonly userName: string;
  readonly email: string;
  /** The id of the organization at the target, where it is known. */
  readonly orgId?: string | undefined;
  readonly outcome: 'written' | 'noted' | 'rejected' | 'skipped';
  /** Of a user who cannot sign in right away with the old password. */
  readonly signIn?: SignInKind | undefined;
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

type Contents = ReportContents<ReportedRun, ReportEntry, ReportEnd>;

/** `given` are the flags of the run, which no remedy names. */
export function conversionReport(given: readonly string[] = []): Contents {
  const flags = new Set(given);
  return { json: jsonContents(given, flags), page: pageContents(given, flags) };
}

function jsonContents(given: readonly string[], flags: ReadonlySet<string>): Contents['json'] {
  return {
    head: ({ verb, inputs, startedAt }) => ({
      format: 'idport-report',
      version: 1,
      verb,
      inputs,
      startedAt: new Date(startedAt),
    }),
    list: 'users',
    item: ({ origin: { input, index, id }, userName, email, orgId, outcome, signIn, reasons: notes }) => ({
      input,
      index,
      id,
      userName,
      email,
      ...(orgId ? { orgId } : {}),
      outcome,
      signIn,
      reasons: notes.map(({ code, detail }) => ({
        code,
        ...(detail === undefined || detail === '' ? {} : { detail }),
        remedy: remedyOf(code, flags),
      })),
    }),
    tail: ({ tally, notices, seconds, stopped }) => ({
      notices,
      seconds,
      stopped,
      summary: summarize(tally, given),
    }),
  };
}

function pageContents(given: readonly string[], flags: ReadonlySet<string>): Contents['page'] {
  return {
    front: (run, end) => [
      ...formatTitle(run, end),
      ...formatSummary(summarize(end.tally, given), wordsOf(run.verb)),
      ...formatNotices(end.notices),
    ],
    rows: ({ origin: { input, index, id }, userName, email, signIn, reasons: notes }) => {
      // A user with several notes of a code is one user.
      const codes = [...new Set(notes.map(({ code }) => code))];
      const cells = [input, `#${index}`, id, userName, email];
      const other = signIn === undefined ? [] : [{ section: `${ofSignIn}${signIn}`, cells: [...cells, ''] }];
      const noted = codes.map((code) => {
        const details = notes.flatMap((note) => (note.code === code && note.detail) || []);
        const detail = [...new Set(details)].join('; ');
        return { section: code, cells: [...cells, detail] };
      });
      return [...other, ...noted];
    },
    sections: (counts) =>
      [...counts].toSorted(byWeight).map(([code, count]) => {
        return {
          section: code,
          heading: `${code}: ${formatCounted(count, 'user')}`,
          columns: ['input', 'record', 'id', 'user name', 'email', 'detail'],
          intro: introOf(code, flags),
        };
      }),
    back: () => ['Reason codes are explained in docs/reasons.md of idport.'],
  };
}

/** Begins the section of users who sign in otherwise. */
const ofSignIn = 'sign-in:';
const kindOf = (section: string): SignInKind => section.slice(ofSignIn.length) as SignInKind;

function introOf(section: string, flags: ReadonlySet<string>): string {
  if (section.startsWith(ofSignIn)) return explainSignIn(kindOf(section));
  const code = section as ReasonCode;
  const { cause, consequence } = reasons[code];
  return `${cause} ${consequence} ${remedyOf(code, flags)}`;
}

const ranks = { rejected: 0, skipped: 1, signIn: 2, note: 3 } as const;

/** Rejections first, then skipped users, those who sign in otherwise, notes; the most frequent first. */
function byWeight([a, countOfA]: [string, number], [b, countOfB]: [string, number]): number {
  const rank = (section: string): number =>
    ranks[section.startsWith(ofSignIn) ? 'signIn' : reasons[section as ReasonCode].outcome];
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

function formatSummary(summary: Summary, { taken, emails, done }: VerbWords): string[] {
  const { read, written, withNotes, rejected, skipped } = summary;
  return [
    ...signInLines(summary.signIn, done).map((line) => `- ${line}`),
    '',
    ...markdownTable(
      'Users',
      ['', 'users'],
      [
        ['read', read],
        [taken, written + withNotes],
        ['of these with notes', withNotes],
        ['rejected', rejected],
        ['skipped', skipped],
      ],
    ),
    summary.addsUp ? 'The counts add up.' : '**The counts do not add up. Please report this.**',
    '',
    ...markdownTable(
      'Passwords',
      ['algorithm', 'users in the source', 'users as written'],
      summary.hashes.map(({ algorithm, before, after }) => [
        algorithm === 'none' ? 'without a password hash' : algorithm,
        before,
        after,
      ]),
    ),
    ...markdownTable(
      'Password hashes that the target would refuse',
      ['algorithm', 'problem', 'remedy', 'users'],
      summary.refusals.map(({ algorithm, problem, remedy, count }) => [algorithm, problem, remedy, count]),
    ),
    ...markdownTable(
      'Not migrated',
      ['what', 'codes', 'users'],
      summary.notMigrated.map(({ kind, codes, count }) => [kind, codes.join(', '), count]),
    ),
    ...markdownTable(
      'Identity providers without a counterpart at the target',
      ['alias', 'users'],
      summary.aliases.map(({ alias, count }) => [alias, count]),
    ),
    ...markdownTable(
      emails,
      ['why', 'users'],
      [
        ...summary.emails.map(({ cause, count }): [string, number] => [cause, count]),
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
