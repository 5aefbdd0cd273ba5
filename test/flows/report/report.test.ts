/** Reports of a conversion and of a comparison are word for word as fixtures/reports has them, and of the published shape. */
import { expect, it } from 'vitest';
import { conversionReport, type ReportEntry, verifyReport } from '../../../src/flows/report/contents.ts';
import { nothing } from '../../../src/flows/verify/comparison.ts';
import type { Compared } from '../../../src/records/outcomes.ts';
import { note, warning } from '../../../src/notice.ts';
import { reportFile, verifyReportFile } from '../../../src/wire/reports.ts';
import { exampleTally } from '../../support/events.ts';
import { fixture } from '../../support/folder.ts';
import { reportAs } from '../../support/reports.ts';

const entry = (index: number, id: string, more: Pick<ReportEntry, 'outcome' | 'reasons'>): ReportEntry => ({
  origin: { input: 'a.json', index, id },
  userName: `ann-${index}`,
  email: `ann-${index}@example.com`,
  ...more,
});
const notes = [
  { code: 'name:filled' },
  { code: 'role:not-migrated', detail: '3 roles' },
  { code: 'role:not-migrated', detail: '1 role' },
] as const;
const noEmail = { outcome: 'rejected', reasons: [{ code: 'user-skipped:no-email', detail: '' }] } as const;
const entries = [
  entry(0, 'user-0', { outcome: 'noted', reasons: notes }),
  // No id becomes markup, a border or a second line.
  entry(1, 'x|y<script>\n[a](b)`', noEmail),
  entry(2, 'user-2', noEmail),
];
const ranges = Array.from({ length: 101 }, (_, i): [number, number] => [3 * i + 1, 3 * i + 1 + (i % 2)]);
const notices = [
  {
    ...warning('password:unmatched-line', '225 lines | belong to no user'),
    places: [{ input: 'a|.json', ranges }],
  },
  note('password:join', 'all is well'),
];

const differs: Compared = {
  outcome: 'differs',
  place: { input: 'body.json', index: 3, id: 'old-1' },
  targetId: '4711',
  userName: 'ann|<b>',
  email: 'ann@example.com',
  fields: ['email'],
  unknown: ['password'],
  detail: '',
};
const extra: Compared = { ...nothing, outcome: 'extra', targetId: '4712', userName: 'zoe', email: '' };
const counts = {
  same: 5,
  blocked: 0,
  missing: 0,
  extra: 1,
  differs: 102,
  unknown: 0,
  notYet: 0,
  parts: 0,
  accounts: 2,
  signIn: new Map(),
  fields: new Map([['email', 102]]),
  unknownFields: new Map([['password', 1]]),
};
const logins = [{ userName: 'ann', succeeded: false, detail: 'Password is invalid' }];

const startedAt = Date.UTC(2026, 0, 1);

function conversion(name: string, some = entries) {
  const run = { verb: 'migrate keycloak', inputs: ['a.json', 'b|.json'], startedAt };
  return reportAs(name, conversionReport(), run, some, { tally: exampleTally(), notices, seconds: 8.25 });
}

function comparison(name: string, some: readonly Compared[]) {
  const run = { inputs: ['body.json'], url: 'https://id.example.com', orgs: ['1'], startedAt };
  return reportAs(name, verifyReport, run, some, { counts, logins, requests: 3, seconds: 1.5 });
}

it.each([
  ['conversion.json', conversion('REPORT.JSON')],
  ['conversion.md', conversion('report.md')],
  ['comparison.json', comparison('r.json', [differs, extra])],
  // A hundred of them are shown.
  ['comparison.md', comparison('r.MD', [extra, ...Array.from({ length: 102 }, () => differs)])],
])('the report equals fixtures/reports/%s', async (name, text) => {
  await expect(text).toMatchFileSnapshot(fixture(`reports/${name}`));
});

it.each([
  [reportFile, conversion('a.json')],
  [reportFile, conversion('a.json', [])],
  [verifyReportFile, comparison('a.json', [differs, extra])],
  [verifyReportFile, comparison('a.json', [])],
])('the JSON report has exactly the published shape: %#', (shape, text) => {
  const read: unknown = JSON.parse(text);
  expect(shape.parse(read)).toEqual(read);
});
