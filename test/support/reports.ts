/** Report files for tests of pages. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conversionReport, type ReportEntry, verifyReport } from '../../src/flows/report/contents.ts';
import {
  createReport,
  type ReportContents,
  type ReportHead,
  type ReportTail,
} from '../../src/flows/report/report.ts';
import { count, type Counts, emptyTally, type Tally } from '../../src/records/tally.ts';
import { writePage } from '../../src/flows/page/write-page.ts';
import { openInputs } from '../../src/storage/open-input.ts';
import { openOutput } from '../../src/storage/file-sink.ts';
import { createTestFolder, readProject } from './folder.ts';
import type { ReportFile, RunFacts } from '../../src/wire/reports.ts';

export const exampleFacts: RunFacts = JSON.parse(readProject('fixtures/example-facts.json'));

export interface ExampleReport {
  readonly verb?: string;
  readonly entries?: readonly ReportEntry[];
  /** Of the entries, unless there is another; empty without entries. */
  readonly tally?: Tally;
  readonly facts?: Partial<RunFacts>;
  readonly forecast?: ReportFile['forecast'];
  /** Of January 2026; 2 by default. */
  readonly day?: number;
}

/** A comparison in which so many users were as expected, and so many cannot sign in. */
export interface ExampleComparison {
  readonly same: number;
  readonly blocked?: number;
  readonly signIn?: Counts;
}

/** The tally of a migrate without trouble but the entries. */
export function tallyOf(entries: readonly ReportEntry[], written = 10) {
  const tally = { ...emptyTally(), written };
  for (const { outcome, reasons } of entries) {
    if (outcome === 'noted') tally.withNotes += 1;
    else tally[outcome] += 1;
    for (const { code } of reasons) count(tally.reasons, code);
  }
  tally.read = tally.written + tally.withNotes + tally.rejected + tally.skipped;
  return tally;
}

/** The whole text of a report; the ending of the name says in which form. */
export function reportAs<Head extends ReportHead, Item, Json, Tail extends ReportTail>(
  name: string,
  contents: ReportContents<Head, Item, Json, Tail>,
  head: Head,
  items: readonly Item[],
  tail: Tail,
  facts?: RunFacts,
) {
  const format = createReport(name, contents);
  return [format.head(head), ...items.map((one) => format.item(one)), format.tail(tail, facts)].join('');
}

function reportText(report: ExampleReport) {
  const { verb = 'migrate keycloak', entries, forecast, day = 2 } = report;
  const { tally = entries === undefined ? emptyTally() : tallyOf(entries) } = report;
  const head = { verb, inputs: ['realm.json'], startedAt: Date.UTC(2026, 0, day) };
  const tail = { tally, notices: [], seconds: 1, forecast };
  const facts = { ...exampleFacts, ...report.facts };
  return reportAs('a.json', conversionReport(), head, entries ?? [], tail, facts);
}

function comparisonText({ same, blocked = 0, ...compared }: ExampleComparison) {
  const none = { missing: 0, extra: 0, differs: 0, unknown: 0, notYet: 0, parts: 0, accounts: 0 };
  const { signIn = new Map().set('password', same).set('disabled', blocked) } = compared;
  const counts = { same, blocked, ...none, signIn, fields: new Map(), unknownFields: new Map() };
  const head = {
    inputs: ['body.json'],
    url: 'https://a.example',
    orgs: ['1'],
    startedAt: Date.UTC(2026, 0, 3),
  };
  return reportAs(
    'a.json',
    verifyReport,
    head,
    [],
    { counts, logins: [], requests: 1, seconds: 1 },
    exampleFacts,
  );
}

const textOf = (report: ExampleReport | ExampleComparison) =>
  'same' in report ? comparisonText(report) : reportText(report);

/** The page of these reports, which are `0.json`, `1.json` and so on beside it; a text is a file as it is. */
export async function pageOf(...reports: readonly (ExampleReport | ExampleComparison | string)[]) {
  const folder = createTestFolder();
  const paths = reports.map((report, at) => {
    const path = join(folder, `${at}.json`);
    writeFileSync(path, typeof report === 'string' ? report : textOf(report));
    return path;
  });
  const path = join(folder, 'page.html');
  const sink = openOutput(path);
  await writePage(openInputs(paths), sink);
  await sink.commit();
  const html = readFileSync(path, 'utf8');
  return { path, html, words: wordsOf(html) };
}

export function entry(index: number, changed: Partial<ReportEntry> = {}): ReportEntry {
  return {
    origin: { input: 'realm.json', index, id: `id-${index}` },
    userName: `user${index}`,
    email: `user${index}@example.org`,
    outcome: 'noted',
    reasons: [{ code: 'group:not-migrated', detail: '1 group' }],
    ...changed,
  };
}

/** The words of a page, as one reads them. */
export function wordsOf(page: string) {
  return page
    .replaceAll(/<(style|script)[^>]*>.*?<\/\1>|<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}
