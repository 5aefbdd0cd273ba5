/** Report files for tests of pages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  conversionReport,
  type ForecastOfWays,
  type ReportEntry,
} from '../../src/flows/report/conversion-report.ts';
import { createReport } from '../../src/flows/report/report.ts';
import { verifyReport } from '../../src/flows/report/verify-report.ts';
import { count, emptyTally, type Tally } from '../../src/records/tally.ts';
import { writePage } from '../../src/flows/page/write-page.ts';
import { openInputs } from '../../src/storage/open-input.ts';
import { openOutput } from '../../src/storage/open-output.ts';
import type { RunFacts } from '../../src/wire/run-facts.ts';

export const exampleFacts: RunFacts = {
  version: '0.1.0',
  node: '20.18.1',
  platform: 'linux x64',
  command: 'idport migrate keycloak --realm realm.json --org 1',
  profile: 'hosted',
  organizations: ['1'],
  inputs: [{ name: 'realm.json', bytes: 12, sha256: 'a'.repeat(64) }],
  outputs: [{ name: 'body.json', bytes: 34, sha256: 'b'.repeat(64) }],
  requests: 21,
  retries: 2,
  tooManyRequests: 1,
  waits: [{ reason: 'rate-limit', times: 1, seconds: 3 }],
  timeline: [
    { seconds: 0.5, records: 10 },
    { seconds: 1, records: 30 },
  ],
};

export interface ExampleReport {
  readonly verb?: string;
  readonly entries: Iterable<ReportEntry>;
  readonly tally?: Tally;
  readonly facts?: RunFacts;
  readonly forecast?: ForecastOfWays;
}

/** The tally of a migrate without trouble but the entries. */
export function tallyOf(entries: readonly ReportEntry[], written = 10): Tally {
  const tally = { ...emptyTally(), written };
  for (const { outcome, reasons } of entries) {
    if (outcome === 'noted') tally.withNotes += 1;
    else tally[outcome] += 1;
    for (const { code } of reasons) count(tally.reasons, code);
  }
  tally.read = tally.written + tally.withNotes + tally.rejected + tally.skipped;
  return tally;
}

/** Returns the path. `name` ends in .json or .md. */
export function writeReport(folder: string, name: string, report: ExampleReport): string {
  const { verb = 'migrate keycloak', entries, tally = emptyTally(), facts = exampleFacts, forecast } = report;
  const format = createReport(name, conversionReport());
  const parts = [format.head({ verb, inputs: ['realm.json'], startedAt: Date.UTC(2026, 0, 2) })];
  for (const entry of entries) parts.push(format.item(entry));
  parts.push(format.tail({ tally, notices: [], seconds: 1, forecast }, facts));
  const path = join(folder, name);
  writeFileSync(path, parts.join(''));
  return path;
}

/** Of a comparison in which `same` users were as expected. */
export function writeVerifyReport(folder: string, name: string, same: number, blocked = 0): string {
  const format = createReport(name, verifyReport);
  const none = { blocked, missing: 0, extra: 0, differs: 0, unknown: 0, notYet: 0, accounts: 0 };
  const counts = {
    same,
    ...none,
    signIn: new Map([
      ['password', same],
      ['disabled', blocked],
    ]),
    fields: new Map<string, number>(),
    unknownFields: new Map<string, number>(),
  };
  const startedAt = Date.UTC(2026, 0, 3);
  const head = format.head({ inputs: ['body.json'], url: 'https://a.example', orgs: ['1'], startedAt });
  const tail = format.tail({ counts, logins: [], requests: 1, seconds: 1 }, exampleFacts);
  const path = join(folder, name);
  writeFileSync(path, head + tail);
  return path;
}

/** The page of these reports, beside them; its path. */
export async function writePageOf(folder: string, reports: readonly string[]): Promise<string> {
  const path = join(folder, 'page.html');
  const sink = openOutput(path);
  await writePage(openInputs(reports), sink);
  await sink.commit();
  return path;
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
export function wordsOf(page: string): string {
  return page
    .replaceAll(/<(style|script)[^>]*>.*?<\/\1>|<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}
