/** Defines the contents of `--report` for a comparison. Their JSON form is `wire/reports.ts`. */
import { outcomeReason, verifyOutcomes, verifySections } from '../../records/outcomes.ts';
import { countSignIn } from '../../records/sign-in.ts';
import type { ReportedComparison } from '../../wire/reports.ts';
import type { Login } from '../verify/login-sample.ts';
import type { Compared, VerifyCounts } from '../verify/comparison.ts';
import type { ListedUser, ReportContents } from './report.ts';

export interface VerifyReportHead {
  readonly inputs: readonly string[];
  readonly url: string;
  readonly orgs: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface VerifyReportTail {
  readonly counts: VerifyCounts;
  readonly logins: readonly Login[];
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
  const { signIn, fields, unknownFields, ...users } = counts;
  return {
    users,
    signIn: countSignIn(signIn),
    fields: Object.fromEntries(fields),
    unknownFields: Object.fromEntries(unknownFields),
    logins: countLogins(logins),
    ...run,
  };
}

export const countLogins = (logins: readonly Login[]) => ({
  tried: logins.length,
  succeeded: logins.filter(({ succeeded }) => succeeded).length,
});

export function loginRows(logins: readonly Login[]) {
  return logins.map(({ userName, succeeded, detail }) => ({
    text: `${userName}: ${succeeded ? 'logged in' : 'could not log in'}${detail === '' ? '' : `, ${detail}`}`,
  }));
}

export function listCompared(compared: Compared | ReportedComparison): ListedUser {
  const { outcome, place, targetId, userName, email, fields, unknown, detail } = compared;
  const words = [...fields, ...unknown.map((field) => `${field} (unknown)`), detail];
  const reason = outcomeReason(verifyOutcomes, outcome, words.filter(Boolean).join(', '));
  const { input = '', index, id = targetId } = place ?? {};
  return { outcome, userName, email, id, targetId, org: '', input, index, reasons: [reason] };
}
