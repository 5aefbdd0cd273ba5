import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { conversionReport, type ReportEntry } from '../../../src/flows/report/conversion-report.ts';
import { reasons } from '../../../src/records/reasons.ts';
import { createReport } from '../../../src/flows/report/report.ts';
import { reportFile } from '../../../src/wire/reports.ts';
import type { Notice } from '../../../src/sources/source.ts';
import { exampleTally } from '../../support/events.ts';
import { reportAs } from '../../support/reports.ts';

const run = { verb: 'migrate keycloak', inputs: ['a.json', 'b|.json'], startedAt: Date.UTC(2026, 0, 1) };
const entry = (index: number, id = `user-${index}`): ReportEntry => ({
  origin: { input: 'a.json', index, id },
  userName: `ann-${index}`,
  email: `ann-${index}@example.com`,
  outcome: index % 2 === 0 ? 'noted' : 'rejected',
  reasons:
    index % 2 === 0
      ? [{ code: 'name:filled' }, { code: 'role:not-migrated', detail: '3 roles' }]
      : [{ code: 'user-skipped:no-email', detail: '' }],
});

const write = (path: string, entries: readonly ReportEntry[], notices: readonly Notice[] = []) =>
  reportAs(path, conversionReport(), run, entries, { tally: exampleTally(), notices, seconds: 8.25 });

describe('the report for programs', () => {
  it.each([0, 1, 7, 20])('is one valid document over %d records', (count) => {
    const entries = Array.from({ length: count }, (_, i) => entry(i));
    const text = write('REPORT.JSON', entries);
    const report = reportFile.parse(JSON.parse(text));
    // The schema leaves nothing out.
    expect(report).toEqual(JSON.parse(text));
    expect(report.users).toHaveLength(count);
    expect(report).toMatchObject({ verb: 'migrate keycloak', seconds: 8.25, summary: { read: 1000 } });
  });

  it('names for each record where it came from, what is the matter and what to do', () => {
    const report = reportFile.parse(JSON.parse(write('report.json', [entry(0), entry(1)])));
    expect(report.users).toEqual([
      {
        input: 'a.json',
        index: 0,
        id: 'user-0',
        userName: 'ann-0',
        email: 'ann-0@example.com',
        outcome: 'noted',
        reasons: [
          { code: 'name:filled', remedy: 'Correct the name in the source, or after the import.' },
          {
            code: 'role:not-migrated',
            detail: '3 roles',
            remedy:
              'Convert again with `idport migrate --roles new:<name>` (or `project:<id>`). Or create the project roles and grant them after the import.',
          },
        ],
      },
      {
        input: 'a.json',
        index: 1,
        id: 'user-1',
        userName: 'ann-1',
        email: 'ann-1@example.com',
        outcome: 'rejected',
        reasons: [
          {
            code: 'user-skipped:no-email',
            remedy: reasons['user-skipped:no-email'].remedy,
          },
        ],
      },
    ]);
  });
});

describe('the report for users', () => {
  it('says the summary first, then rejections, then notes', () => {
    const page = write('report.md', [entry(0), entry(1)]);
    const headings = page.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual([
      '# idport migrate keycloak',
      '## Who can sign in',
      '## 1,000 users read in 8.3 s',
      '## Passwords',
      '## Password hashes that the target would refuse',
      '## Not migrated, or changed (users)',
      '## Emails that the import would send',
      '## user-skipped:no-email: 1 user',
      '## name:filled: 1 user',
      '## role:not-migrated: 1 user',
    ]);
    expect(page).toContain('The counts add up: 990 + 2 + 8 = 1,000.');
    expect(page).toContain('| a.json | \\#1 | user-0 | ann-0 | ann-0@example.com | 3 roles |');
  });

  it('lets no id become markup, a border or a second line', () => {
    const page = write('report.md', [entry(1, 'x|y<script>\n[a](b)`')]);
    expect(page).toContain('| x\\|y&lt;script>U+000A\\[a\\](b)\\` |');
  });
});

it('asks for a name that says the form', () => {
  expect(() => createReport('report.txt', conversionReport())).toThrow(UsageError);
  expect(() => createReport('report', conversionReport())).toThrow(
    'the name must end in .json, .md or .html',
  );
});

describe('what is told of the inputs as a whole', () => {
  const ranges = Array.from({ length: 150 }, (_, i): [number, number] => [3 * i + 1, 3 * i + 1 + (i % 2)]);
  const notice = {
    level: 'warning',
    code: 'password:unmatched-line',
    text: '225 lines | belong to no user',
    places: [{ input: 'a|.json', ranges }],
  } as const;
  const notices = [notice, { level: 'info', code: 'password:join', text: 'all is well' } as const];

  it('stands in the report for programs with every line', () => {
    expect(reportFile.parse(JSON.parse(write('report.json', [], notices))).notices).toEqual(notices);
  });

  it('stands in the report for users with the first lines', () => {
    const text = write('report.md', [], notices);
    expect(text).toContain('- password:unmatched-line: 225 lines \\| belong to no user');
    expect(text).toContain('lines 1, 4-5, 7, 10-11,');
    expect(text).toContain('and more');
    expect(text).not.toContain('448');
  });
});
