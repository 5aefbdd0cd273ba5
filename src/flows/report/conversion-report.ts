/** Defines the contents of `--report` for a conversion, a check or an import. Their JSON form is `wire/reports.ts`. */
import type { IdportEvent } from '../../events.ts';
import { markdownText } from '../../lib/markdown.ts';
import { runSections, waysSection } from '../../records/sections.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import { remedyOf, summarize } from '../../records/summary.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note, Origin } from '../../records/user.ts';
import type { Notice, PlaceList } from '../../sources/source.ts';
import type { ReportedUser } from '../../wire/reports.ts';
import { type ListedUser, type ReportContents, signInReason } from './report.ts';

export interface ReportedRun {
  readonly verb: string;
  readonly inputs: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A record that needs attention. All others are only counted. */
export interface ReportEntry {
  readonly origin: Origin;
  /** Empty if they could not be read. */
  readonly userName: string;
  readonly email: string;
  /** Id of the organization at the target, if known. */
  readonly orgId?: string | undefined;
  readonly outcome: 'written' | 'noted' | 'rejected' | 'skipped';
  /** Set for a user who cannot sign in right away with the old password. */
  readonly signIn?: SignInKind | undefined;
  readonly reasons: readonly Note[];
}

export interface ReportEnd {
  readonly tally: Tally;
  /** Notices about the inputs as a whole. */
  readonly notices: readonly Notice[];
  readonly seconds: number;
  /** Why the run stopped before its end. The report then has the users up to that point. */
  readonly stopped?: string | undefined;
  readonly forecast?: ForecastOfWays | undefined;
}

export type ForecastOfWays = Omit<Extract<IdportEvent, { type: 'forecast' }>, 'type'>;

/** `given` are the flags of the run, which remedies do not suggest. */
export function conversionReport(
  given: readonly string[] = [],
): ReportContents<ReportedRun, ReportEntry, ReportedUser, ReportEnd> {
  const flags = new Set(given);
  return {
    format: 'idport-report',
    item: ({ origin: { input, index, id }, userName, email, orgId, outcome, signIn, reasons }) => ({
      input,
      index,
      id,
      userName,
      email,
      ...(orgId ? { orgId } : {}),
      outcome,
      signIn,
      reasons: reasons.map(({ code, detail }) => ({
        code,
        ...(detail === undefined || detail === '' ? {} : { detail }),
        remedy: remedyOf(code, flags),
      })),
    }),
    tail: ({ tally, notices, seconds, stopped, forecast }) => ({
      notices,
      seconds,
      stopped,
      forecast,
      summary: summarize(tally, given),
    }),
    title: ({ verb }) => `idport ${verb}`,
    notes: ({ notices }) => [
      ...formatNotices(notices),
      '`idport explain <code>` explains a reason code.',
      '',
    ],
    sections: ({ tally, seconds, forecast }, { verb }) => [
      ...runSections(summarize(tally, given), verb, seconds),
      waysSection(forecast),
    ],
    user: listConverted,
  };
}

export function listConverted({ orgId = '', signIn, reasons, ...user }: ReportedUser): ListedUser {
  const told = reasons.map(({ code, detail = '', remedy }) => ({ code, detail, remedy }));
  return { ...user, org: orgId, reasons: [...signInReason(signIn), ...told] };
}

function formatNotices(notices: readonly Notice[]) {
  if (notices.length === 0) return [];
  const lines = notices.flatMap(({ code, text: words, places = [] }) => [
    `- ${markdownText(code)}: ${markdownText(words)}`,
    ...places.map((list) => `  - ${markdownText(list.input)}: ${markdownText(formatRanges(list))}`),
  ]);
  return ['## The inputs', '', ...lines, ''];
}

/** Most ranges of lines shown under one notice. */
const shownRanges = 100;

function formatRanges({ ranges }: PlaceList) {
  const shown = ranges
    .slice(0, shownRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const more =
    ranges.length > shownRanges ? ', and more: a report whose name ends in .json names them all' : '';
  return `lines ${shown.join(', ')}${more}`;
}
