/** What `--report` says of a comparison; the JSON form is `wire/verify-report.ts`. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/quantity.ts';
import type { Login } from '../verify/login-sample.ts';
import type { Compared, VerifyCounts, VerifyOutcome } from '../verify/verify.ts';
import type { ReportContents } from './report.ts';

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

export const verifyReport: ReportContents<VerifyReportHead, Compared, VerifyReportTail> = {
  json: {
    head: ({ inputs, url, orgs, startedAt }) => ({
      format: 'idport-verify-report',
      version: 1,
      inputs,
      url,
      orgs,
      startedAt: new Date(startedAt),
    }),
    list: 'users',
    item: (compared) => compared,
    tail({ counts, logins, requests, seconds }) {
      const { fields, unknownFields } = counts;
      const byField = {
        fields: Object.fromEntries(fields),
        unknownFields: Object.fromEntries(unknownFields),
      };
      return { logins, seconds, requests, summary: { ...counts, ...byField } };
    },
  },
  page: {
    front: (run, end) => [...formatTitle(run, end), ...formatCounts(end.counts)],
    rows: ({ outcome, place, targetId, userName, email, fields, unknown, detail }) => [
      {
        section: outcome,
        cells: [
          place === undefined ? '' : `${place.input} #${place.index}`,
          place?.id ?? '',
          targetId,
          userName,
          email,
          [...fields, ...unknown.map((field) => `${field} (unknown)`), detail].filter(Boolean).join(', '),
        ],
      },
    ],
    sections: (counts) =>
      verifyOutcomes
        .filter(({ outcome }) => counts.has(outcome))
        .map(({ outcome, title, remedy }) => ({
          section: outcome,
          heading: `${title}: ${formatCount(counts.get(outcome) ?? 0)}`,
          columns: ['record', 'id', 'id at the target', 'user name', 'email', 'what'],
          intro: remedy,
        })),
    back: ({ logins }) =>
      markdownTable(
        'Logins',
        ['user name', 'signs in', 'what'],
        logins.map(({ userName, succeeded, detail }) => [userName, succeeded ? 'yes' : 'no', detail]),
      ),
  },
};

/** What is wrong with a user, and what to do. */
export const verifyOutcomes: readonly {
  readonly outcome: Exclude<VerifyOutcome, 'same'>;
  readonly title: string;
  readonly remedy: string;
}[] = [
  {
    outcome: 'blocked',
    title: 'The same, but they cannot sign in',
    remedy: 'Initial: the user answers the email. Locked or deactivated: unlock or reactivate the user.',
  },
  {
    outcome: 'missing',
    title: 'Missing at the target',
    remedy: 'Import them: `idport import-users` with `--user` for each, or the whole body once more.',
  },
  {
    outcome: 'differs',
    title: 'There, and different',
    remedy: 'They were changed since, or the import left something out: its report says what.',
  },
  {
    outcome: 'unknown',
    title: 'Unknown',
    remedy: 'Fields: use a token that may read them. Records: fix them, they could not be imported.',
  },
  {
    outcome: 'extra',
    title: 'Only at the target',
    remedy: 'They were there before, or were created since; `--allow-extra` does not count them.',
  },
];

function formatTitle(
  { inputs, url, orgs, startedAt }: VerifyReportHead,
  { requests, seconds }: VerifyReportTail,
): string[] {
  const organizations = `${orgs.length === 1 ? 'organization' : 'organizations'} ${orgs.map(markdownText).join(', ')}`;
  return [
    '# idport verify',
    '',
    `${inputs.map(markdownText).join(', ')} compared with ${organizations} at ${markdownText(url)}.`,
    '',
    `Started ${new Date(startedAt).toISOString()}, done in ${formatSeconds(seconds)} with ${formatCounted(requests, 'request')}.`,
    '',
  ];
}

function formatCounts({
  same,
  blocked,
  missing,
  differs,
  extra,
  unknown,
  fields,
  unknownFields,
}: VerifyCounts): string[] {
  const rows = (counts: VerifyCounts['fields']): (readonly [string, number])[] =>
    [...counts].toSorted(([, a], [, b]) => b - a);
  return [
    ...markdownTable(
      'Users',
      ['', 'users'],
      [
        ['same', same],
        ['the same, but they cannot sign in', blocked],
        ['missing', missing],
        ['different', differs],
        ['only at the target', extra],
        ['unknown', unknown],
      ],
    ),
    ...markdownTable('Fields that differ', ['field', 'users'], rows(fields)),
    ...markdownTable('Fields that cannot be known', ['field', 'users'], rows(unknownFields)),
  ];
}
