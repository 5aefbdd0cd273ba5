/** What `--report` says of a comparison; the JSON form is `wire/reports.ts`. */
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
  tail: ({ counts, logins, requests, seconds }) => ({
    logins,
    seconds,
    requests,
    summary: { ...counts, ...fieldsOf(counts) },
  }),
  title: () => 'idport verify',
  sections({ counts, logins, ...run }) {
    const succeeded = logins.filter((login) => login.succeeded).length;
    const tried = { tried: logins.length, succeeded };
    return [
      ...verifySections({ users: counts, ...fieldsOf(counts), logins: tried, ...run }),
      { title: 'Who tried to log in', rows: loginRows(logins) },
    ];
  },
  isFine: ({ logins }) => logins.every(({ succeeded }) => succeeded),
  user: listCompared,
};

const fieldsOf = ({ signIn, fields, unknownFields }: VerifyCounts) => ({
  signIn: countSignIn(signIn),
  fields: Object.fromEntries(fields),
  unknownFields: Object.fromEntries(unknownFields),
});

export function loginRows(logins: readonly Login[]): { readonly text: string }[] {
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
