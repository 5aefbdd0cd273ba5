/** Opens the file of a report: JSON and Markdown are written as the run goes, a page is made at its end. */
import { extname } from 'node:path';
import type { Emit } from '../../events.ts';
import type { Sink } from '../../lib/sink.ts';
import { openInput } from '../../storage/open-input.ts';
import {
  createReport,
  type ReportContents,
  type ReportHead,
  type ReportTail,
  type ReportWriter,
} from './report.ts';
import type { RunRecord } from './run-record.ts';
import type { Facts } from './run-log.ts';

export interface OpenedReport<Head, Item, Tail> {
  readonly format: ReportWriter<Head, Item, Tail>;
  readonly sink: Sink;
  readonly facts: Facts | undefined;
}

export interface ReportPlace {
  readonly open: (path: string) => Sink;
  readonly cwd: string;
  readonly emit: Emit;
  readonly record?: RunRecord | undefined;
}

/** Throws `UsageError` for a name that is no report's, before anything is opened. */
export function openReport<Head extends ReportHead, Item, Json, Tail extends ReportTail>(
  path: string,
  contents: ReportContents<Head, Item, Json, Tail>,
  place: ReportPlace,
): OpenedReport<Head, Item, Tail> {
  const { record, open } = place;
  const format = createReport(path, contents);
  const sink = extname(path).toLowerCase() === '.html' ? openPage(path, place) : open(path);
  return { format, sink, facts: record && (() => record.facts()) };
}

/** Beside a page stands the report that it is made of: with all users, and to be joined with others. */
function openPage(path: string, { open, cwd, emit }: ReportPlace): Sink {
  const report = open(`${path}.json`);
  let page: Sink;
  try {
    page = open(path);
  } catch (error) {
    report.discard();
    throw error;
  }
  return {
    name: page.name,
    get bytes() {
      return page.bytes;
    },
    write: (chunk) => report.write(chunk),
    async commit() {
      await report.commit();
      emit({ type: 'file:written', path: report.name, what: 'report', bytes: report.bytes });
      const { writePage } = await import('../page/write-page.ts');
      await writePage([openInput(report.name, { cwd })], page);
      await page.commit();
    },
    discard() {
      report.discard();
      page.discard();
    },
  };
}
