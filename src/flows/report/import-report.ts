/** What `--report` says of a bulk import. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { ImportTally } from '../../records/import-tally.ts';
import { type MessageCounts, noMessageCounts, smsCause } from '../../records/messages.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';
import { countSignIn, explainSignIn, signInLines, type SignInKind } from '../../records/sign-in.ts';
import { byCount, describeEmails } from '../../records/summary.ts';
import type { Counts } from '../../records/tally.ts';
import type { ReportContents, ReportWriter } from './report.ts';

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

/** What users have who were created, and what the service has sent them. */
export interface CreatedTally extends MessageCounts {
  /** Users by algorithm of their password hash. */
  readonly passwords: Counts;
  otp: number;
}

export const emptyCreatedTally = (): CreatedTally => ({
  ...noMessageCounts(),
  passwords: new Map(),
  otp: 0,
});

interface ImportReportTail {
  readonly tally: ImportTally;
  readonly created: CreatedTally;
  readonly seconds: number;
  /** Why the run stopped before its end; the report is then about the entries until there. */
  readonly stopped?: string;
}

export type ImportReport = ReportWriter<ImportReportHead, ReportedEntry, ImportReportTail>;

export const importReport: ReportContents<ImportReportHead, ReportedEntry, ImportReportTail> = {
  json: {
    head: ({ input, url, startedAt }) => ({
      format: 'idport-import-report',
      version: 1,
      input,
      url,
      startedAt: new Date(startedAt),
    }),
    list: 'entries',
    item: ({ reason, ...entry }) => ({
      ...entry,
      ...(reason === undefined ? {} : { ...reason, remedy: reasons[reason.code].remedy }),
    }),
    tail({ tally, created, seconds, stopped }) {
      const { requests, lookedUp, takenApart } = tally;
      const lists = Array.from(tally.lists, ([list, counts]) => ({ list, ...counts }));
      const summary = {
        lists,
        reasons: Object.fromEntries(tally.reasons),
        ...summarizeCreated(created),
        requests,
        lookedUp,
        takenApart,
      };
      return { stopped, seconds, summary };
    },
  },
  page: {
    front: ({ input, url, startedAt }, { tally, created, seconds, stopped }, sections) => [
      `# Import of ${markdownText(input)} to ${markdownText(url)}`,
      '',
      `Started ${new Date(startedAt).toISOString()}: ${formatCounted(tally.requests, 'request')} in ${seconds.toFixed(1)} seconds.`,
      '',
      ...(stopped === undefined
        ? []
        : [`**Not every entry is in here: the run stopped.** ${markdownText(stopped)}`, '']),
      ...signInLines(countSignIn(created.signIn), true).map((line) => `- ${line}`),
      '',
      ...markdownTable(
        'Counts',
        ['list', 'total', 'created', 'existed', 'failed', 'rejected', 'unchanged'],
        Array.from(tally.lists, ([list, { total, created, existed, failed, rejected, unchanged = 0 }]) => [
          list,
          total,
          created,
          existed,
          failed,
          rejected,
          unchanged,
        ]),
      ),
      ...createdTables(created),
      ...(sections.size === 0 && stopped === undefined ? ['Nothing needs attention.', ''] : []),
    ],
    rows: ({ list, index, orgId, id, userName, email, outcome, signIn, reason }) => {
      const cells = [list, `#${index}`, orgId, id, userName, email, reason?.detail ?? ''];
      const section = reason === undefined ? outcome : `${outcome} ${reason.code}`;
      return [
        ...(outcome === 'written' ? [] : [{ section, cells }]),
        ...(signIn === undefined ? [] : [{ section: `sign-in ${signIn}`, cells }]),
      ];
    },
    sections: (counts) =>
      [...counts].toSorted(byWeight).map(([section, count]) => {
        const [outcome = '', code] = section.split(' ');
        const entries = formatCounted(count, 'entry', 'entries');
        return {
          section,
          heading: `${[outcome, code].filter(Boolean).join(', ')}: ${entries}`,
          columns: ['list', 'record', 'organization', 'id', 'user name', 'email', 'detail'],
          intro: introOf(outcome, code),
        };
      }),
    back: () => [],
  },
};

function summarizeCreated({ emails, sms, signIn, passwords, otp }: CreatedTally) {
  return {
    signIn: countSignIn(signIn),
    emails: describeEmails(emails),
    sms,
    passwords: byCount(passwords).map(([algorithm, users]) => ({ algorithm, count: users })),
    otp,
  };
}

function createdTables(created: CreatedTally): string[] {
  const { emails, sms, passwords, otp } = summarizeCreated(created);
  const sent = emails.map(({ cause, count }): [string, number] => [cause, count]);
  return [
    ...markdownTable(
      'Emails and SMS',
      ['what', 'sent'],
      [...sent, ...(sms > 0 ? [[smsCause, sms] as const] : [])],
    ),
    ...markdownTable(
      'Users created, by password hash',
      ['algorithm', 'users'],
      passwords.map(({ algorithm, count }) => [algorithm, count]),
      otp > 0 ? [`${formatCounted(otp, 'user')} with TOTP.`, ''] : [],
    ),
  ];
}

function introOf(outcome: string, code: string | undefined): string {
  if (outcome === 'sign-in') return explainSignIn(code as SignInKind);
  return code === undefined ? 'They were at the target before this run.' : reasons[code as ReasonCode].remedy;
}

const ranks = ['failed', 'rejected', 'sign-in', 'noted', 'existed'];

/** Failures first; the most frequent reason of each first. */
function byWeight([a, countOfA]: [string, number], [b, countOfB]: [string, number]): number {
  const rank = (section: string): number => ranks.indexOf(section.split(' ')[0] ?? '');
  return rank(a) - rank(b) || countOfB - countOfA;
}
