/**
 * People who are not as expected and the final counts in, the report of a comparison out: JSON for programs,
 * Markdown for people.
 */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/quantity.ts';
import type { Login } from '../verify/login-sample.ts';
import type { Compared, Outcome, VerifyCounts } from '../verify/verify.ts';

export interface VerifiedRun {
  readonly inputs: readonly string[];
  readonly url: string;
  readonly orgs: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface VerifyEnd {
  readonly counts: VerifyCounts;
  readonly logins: readonly Login[];
  readonly requests: number;
  readonly seconds: number;
}

/** Makes the text of a report piece by piece: `head`, then `person` any number of times, then `tail`. */
export interface VerifyReportFormat {
  head(run: VerifiedRun): string;
  person(compared: Compared): string;
  tail(end: VerifyEnd): string;
}

const formats: Readonly<Record<string, () => VerifyReportFormat>> = {
  '.json': createJson,
  '.md': createMarkdown,
};

/** By the name of the file; throws `UsageError` for any other ending, so ask before the run begins. */
export function createVerifyReport(path: string): VerifyReportFormat {
  const create = formats[extname(path).toLowerCase()];
  if (create) return create();
  throw new UsageError(`--report ${path}: the name must end in .json or .md`, {
    hint: 'The ending chooses the form: .json for programs, .md for people.',
  });
}

/** The shape is `verifyReportFile` of `wire/verify-report.ts`. */
function createJson(): VerifyReportFormat {
  let separator = '\n';
  return {
    head({ inputs, url, orgs, startedAt }) {
      const run = { inputs, url, orgs, startedAt: new Date(startedAt) };
      return `${JSON.stringify({ format: 'idport-verify-report', version: 1, ...run }).slice(0, -1)},"people":[`;
    },
    person(compared) {
      const text = separator + JSON.stringify(compared);
      separator = ',\n';
      return text;
    },
    tail({ counts, logins, requests, seconds }) {
      const { fields, unknownFields } = counts;
      const byField = {
        fields: Object.fromEntries(fields),
        unknownFields: Object.fromEntries(unknownFields),
      };
      const rest = { logins, seconds, requests, summary: { ...counts, ...byField } };
      return `\n],${JSON.stringify(rest).slice(1)}\n`;
    },
  };
}

/** People named under one outcome; a page with more is not read, and memory stays flat. */
const shownPerOutcome = 100;

type Trouble = Exclude<Outcome, 'same'>;

const chapters: readonly { readonly outcome: Trouble; readonly title: string; readonly remedy: string }[] = [
  {
    outcome: 'missing',
    title: 'Missing at the target',
    remedy: 'Import them: `idport import-users` with `--user` for each, or the whole body once more.',
  },
  {
    outcome: 'differs',
    title: 'There, and different',
    remedy: 'Somebody changed them since, or the import left something out: its report says what.',
  },
  {
    outcome: 'unknown',
    title: 'Unknown',
    remedy:
      'Fields: ask with a token that may read them. Records: mend them, nobody could have imported them.',
  },
  {
    outcome: 'extra',
    title: 'Only at the target',
    remedy: 'They were there before, or somebody made them since; `--allow-extra` does not count them.',
  },
];

/** Everything is said at the end: only then the counts are known, and they have to stand in front. */
function createMarkdown(): VerifyReportFormat {
  const shown = new Map<Outcome, Compared[]>();
  let run: VerifiedRun | undefined;
  return {
    head(started) {
      run = started;
      return '';
    },
    person(compared) {
      const people = shown.get(compared.outcome) ?? [];
      shown.set(compared.outcome, people);
      if (people.length < shownPerOutcome) people.push(compared);
      return '';
    },
    tail(end) {
      const lines = [
        '# idport verify',
        '',
        ...(run === undefined ? [] : title(run, end)),
        ...overview(end.counts),
        ...chapters.flatMap((chapter) => people(chapter, end.counts, shown.get(chapter.outcome) ?? [])),
        ...logins(end.logins),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function title({ inputs, url, orgs, startedAt }: VerifiedRun, { requests, seconds }: VerifyEnd): string[] {
  const organizations = `${orgs.length === 1 ? 'organization' : 'organizations'} ${orgs.map(markdownText).join(', ')}`;
  return [
    `${inputs.map(markdownText).join(', ')} compared with ${organizations} at ${markdownText(url)}.`,
    '',
    `Begun ${new Date(startedAt).toISOString()}, done in ${formatSeconds(seconds)} with ${formatCounted(requests, 'request')}.`,
    '',
  ];
}

function overview({ same, missing, differs, extra, unknown, fields, unknownFields }: VerifyCounts): string[] {
  const rows = (counts: VerifyCounts['fields']): (readonly [string, number])[] =>
    [...counts].sort(([, a], [, b]) => b - a);
  return [
    ...markdownTable(
      'People',
      ['', 'people'],
      [
        ['same', same],
        ['missing', missing],
        ['different', differs],
        ['only at the target', extra],
        ['unknown', unknown],
      ],
    ),
    ...markdownTable('Fields that differ', ['field', 'people'], rows(fields)),
    ...markdownTable('Fields that nobody can know', ['field', 'people'], rows(unknownFields)),
  ];
}

function people(
  { outcome, title, remedy }: (typeof chapters)[number],
  counts: VerifyCounts,
  shown: readonly Compared[],
): string[] {
  const hidden = counts[outcome] - shown.length;
  return [
    ...markdownTable(
      `${title}: ${formatCount(counts[outcome])}`,
      ['record', 'id', 'id at the target', 'user name', 'what'],
      shown.map(({ place, targetId, userName, fields, unknown, detail }) => [
        place === undefined ? '' : `${place.input} #${place.index}`,
        place?.id ?? '',
        targetId,
        userName,
        [...fields, ...unknown.map((field) => `${field} (unknown)`), detail].filter(Boolean).join(', '),
      ]),
      [remedy, ''],
    ),
    ...(hidden > 0
      ? [`And ${formatCount(hidden)} more; a report whose name ends in .json names them all.`, '']
      : []),
  ];
}

function logins(tried: readonly Login[]): string[] {
  return markdownTable(
    'Logins',
    ['user name', 'signs in', 'what'],
    tried.map(({ userName, succeeded, detail }) => [userName, succeeded ? 'yes' : 'no', detail]),
  );
}
