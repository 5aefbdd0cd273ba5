/** What `--report` says of a bulk import. */
import type { ImportTally } from '../../records/import-tally.ts';
import { noMessageCounts } from '../../records/messages.ts';
import { importSections } from '../../records/outcomes.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';
import { factorSection, messageSection, passwordSection, signInRows } from '../../records/sections.ts';
import { countSignIn, type SignInKind } from '../../records/sign-in.ts';
import { byCount, describeEmails } from '../../records/summary.ts';
import type { Counts } from '../../records/tally.ts';
import type { EntryInFile } from '../../wire/reports.ts';
import { type ListedUser, type ReportContents, signInReason } from './report.ts';
import type { RunReport } from './open-report.ts';

interface ImportReportHead {
  readonly input: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface ReportedEntry {
  readonly list: string;
  /** Its place in the list, over all organizations, from 0. */
  readonly index: number;
  readonly orgId: string;
  readonly id: string;
  /** Both empty where the entry is no user, or cannot be read. */
  readonly userName: string;
  readonly email: string;
  readonly outcome: 'failed' | 'rejected' | 'noted' | 'written' | 'existed';
  /** Of a user who was created and cannot sign in right away with the old password. */
  readonly signIn?: SignInKind;
  readonly reason?: { readonly code: ReasonCode; readonly detail: string };
}

export type CreatedTally = ReturnType<typeof emptyCreatedTally>;

/** What users have who were created, and what the service has sent them. */
export const emptyCreatedTally = () => ({
  ...noMessageCounts(),
  /** Users by algorithm of their password hash. */
  passwords: new Map() as Counts,
  otp: 0,
});

interface ImportReportTail {
  readonly tally: ImportTally;
  readonly created: CreatedTally;
  readonly seconds: number;
  /** Why the run stopped before its end; the report is then about the entries until there. */
  readonly stopped?: string | undefined;
}

export type ImportReport = RunReport<ImportReportHead, ReportedEntry, ImportReportTail>;

export const importReport: ReportContents<ImportReportHead, ReportedEntry, EntryInFile, ImportReportTail> = {
  format: 'idport-import-report',
  list: 'entries',
  item: ({ reason, ...entry }) => ({
    ...entry,
    ...(reason === undefined ? {} : { ...reason, remedy: reasons[reason.code].remedy }),
  }),
  tail({ tally, created, seconds, stopped }) {
    const { requests, lookedUp, takenApart } = tally;
    const ofUsers = summarizeCreated(created);
    const counts = Object.fromEntries(tally.reasons);
    const summary = { lists: listsOf(tally), reasons: counts, ...ofUsers, requests, lookedUp, takenApart };
    return { stopped, seconds, summary };
  },
  title: ({ input, url }) => `Import of ${input} to ${url}`,
  sections({ tally, created, seconds }) {
    const { signIn, emails, sms, passwords, otp } = summarizeCreated(created);
    const counts = byCount(tally.reasons).map(([code, users]) => ({
      code: code as ReasonCode,
      count: users,
    }));
    const result = { lists: listsOf(tally), reasons: counts, requests: tally.requests, seconds };
    return [
      { title: 'Who can sign in', rows: signInRows(signIn) },
      ...importSections(result),
      passwordSection(passwords.map(({ algorithm, count }) => ({ algorithm, after: count }))),
      factorSection({ otp, notMigrated: [] }),
      messageSection('Emails that are sent', { emails, sms }),
    ];
  },
  user: listEntry,
};

const listsOf = ({ lists }: ImportTally) => Array.from(lists, ([list, counts]) => ({ list, ...counts }));

export function listEntry(entry: EntryInFile): ListedUser {
  const { list, orgId, email = '', signIn, code, detail = '', remedy = '', ...user } = entry;
  const told = user.outcome === 'written' ? [] : [{ code: code ?? user.outcome, detail, remedy }];
  return { ...user, email, org: orgId, input: list, reasons: [...signInReason(signIn), ...told] };
}

function summarizeCreated({ emails, sms, signIn, passwords, otp }: CreatedTally) {
  return {
    signIn: countSignIn(signIn),
    emails: describeEmails(emails),
    sms,
    passwords: byCount(passwords).map(([algorithm, users]) => ({ algorithm, count: users })),
    otp,
  };
}
