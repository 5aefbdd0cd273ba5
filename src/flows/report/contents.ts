/**
 * Defines the contents of `--report`: of a conversion, a check or an import, of a comparison, of a rollback. Their JSON form is
 * `wire/reports.ts`.
 */
import { markdownText } from '../../lib/markdown.ts';
import { runSections, waysSection } from '../../records/sections.ts';
import { type SignInKind, countSignIn } from '../../records/sign-in.ts';
import { remedyOf, summarize } from '../../records/summary.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note, Origin } from '../../records/user.ts';
import type { Notice, PlaceList } from '../../notice.ts';
import type { ReportedUser, ReportFile, KeptUser } from '../../wire/reports.ts';
import {
  type ListedUser,
  type ReportContents,
  type ReportHead,
  signInReason,
  type ReportTail,
} from './report.ts';
import { formatSeconds } from '../../lib/format.ts';
import {
  type Compared,
  outcomeReason,
  undoOutcomes,
  type UndoneUsers,
  undoSection,
  verifyOutcomes,
  verifySections,
  type TriedLogin,
} from '../../records/outcomes.ts';
import type { FoundUser } from '../reconcile/find-users.ts';
import type { VerifyCounts } from '../verify/comparison.ts';

export interface ReportedRun extends ReportHead {
  readonly verb: string;
  readonly inputs: readonly string[];
}

/** A record that needs attention. All others are only counted. */
export interface ReportEntry {
  readonly origin: Origin;
  /** Empty if they could not be read. */
  readonly userName: string;
  readonly email: string;
  /** Id of the organization at the target, if known. */
  readonly orgId?: string | undefined;
  readonly outcome: ReportedUser['outcome'];
  /** Set for a user who cannot sign in right away with the old password. */
  readonly signIn?: SignInKind | undefined;
  readonly reasons: readonly Note[];
}

export interface ReportEnd extends ReportTail {
  readonly tally: Tally;
  /** Notices about the inputs as a whole. */
  readonly notices: readonly Notice[];
  readonly forecast?: ReportFile['forecast'];
}

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
      ...(orgId && { orgId }),
      outcome,
      signIn,
      reasons: reasons.map(({ code, detail }) => ({
        code,
        ...(detail === undefined || detail === '' ? {} : { detail }),
        remedy: remedyOf(code, flags),
      })),
    }),
    tail: ({ tally, notices, seconds, stopped, forecast }) => ({
      notices: notices.map(({ level, code, text, places }) => ({ level, code, text, places })),
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

interface UndoReportHead extends ReportHead {
  readonly journal: string;
  readonly url: string;
}

/** A user who is not deleted. */
interface StayingUser extends Pick<KeptUser, 'outcome' | 'detail'> {
  readonly created: { readonly oldId: string; readonly userName: string };
  readonly found?: FoundUser;
}

interface UndoReportTail extends ReportTail {
  readonly users: UndoneUsers;
  /** Nothing was deleted, because the number was not confirmed. */
  readonly dryRun: boolean;
}

export const undoReport: ReportContents<UndoReportHead, StayingUser, KeptUser, UndoReportTail> = {
  format: 'idport-undo-report',
  item({ created, found, outcome, detail }) {
    const { id: targetId = '', org: orgId = '', userName = created.userName, email = '' } = found ?? {};
    return { outcome, id: created.oldId, targetId, orgId, userName, email, detail };
  },
  tail: ({ users, ...tail }) => ({ ...tail, summary: users }),
  title: () => 'idport undo',
  notes: ({ dryRun }) =>
    dryRun ? ['**Nothing was deleted: the number of users was not confirmed.**', ''] : [],
  sections: ({ users, seconds }) => [undoSection(users, formatSeconds(seconds))],
  user: listKept,
};

export function listKept({ orgId, detail, ...user }: KeptUser): ListedUser {
  const reasons = [outcomeReason(undoOutcomes, user.outcome, detail)];
  return { ...user, id: user.id || user.targetId, org: orgId, input: '', index: undefined, reasons };
}

export interface VerifyReportHead extends ReportHead {
  readonly inputs: readonly string[];
  readonly url: string;
  readonly orgs: readonly string[];
}

export interface VerifyReportTail {
  readonly counts: VerifyCounts;
  readonly logins: readonly TriedLogin[];
  readonly requests: number;
  readonly seconds: number;
}

export const verifyReport: ReportContents<VerifyReportHead, Compared, Compared, VerifyReportTail> = {
  format: 'idport-verify-report',
  item: (compared) => compared,
  tail(tail) {
    const { users, signIn, fields, unknownFields, requests, seconds } = factsOf(tail);
    return { logins: tail.logins, seconds, requests, summary: { ...users, signIn, fields, unknownFields } };
  },
  title: () => 'idport verify',
  sections: (tail) => [
    ...verifySections(factsOf(tail)),
    { title: 'Who tried to log in', rows: loginRows(tail.logins) },
  ],
  isFine: ({ logins }) => logins.every(({ succeeded }) => succeeded),
  user: listCompared,
};

/** Returns the facts as the final event has them. */
export function factsOf({ counts, logins, ...run }: VerifyReportTail) {
  const { signIn, fields, unknownFields, parts: _, ...users } = counts;
  return {
    users,
    signIn: countSignIn(signIn),
    fields: Object.fromEntries(fields),
    unknownFields: Object.fromEntries(unknownFields),
    logins: countLogins(logins),
    ...run,
  };
}

export const countLogins = (logins: readonly TriedLogin[]) => ({
  tried: logins.length,
  succeeded: logins.filter(({ succeeded }) => succeeded).length,
});

export function loginRows(logins: readonly TriedLogin[]) {
  return logins.map(({ userName, succeeded, detail }) => ({
    text: `${userName}: ${succeeded ? 'logged in' : 'could not log in'}${detail === '' ? '' : `, ${detail}`}`,
  }));
}

export function listCompared(compared: Compared): ListedUser {
  const { outcome, place, targetId, userName, email, fields, unknown, detail } = compared;
  const words = [...fields, ...unknown.map((field) => `${field} (unknown)`), detail];
  const reason = outcomeReason(verifyOutcomes, outcome, words.filter(Boolean).join(', '));
  const { input = '', index, id = targetId } = place ?? {};
  return { outcome, userName, email, id, targetId, org: '', input, index, reasons: [reason] };
}
