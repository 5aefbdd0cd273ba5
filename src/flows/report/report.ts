/** What happened to each record in, a report file out, written while the run goes. */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note, Origin } from '../../records/user.ts';
import type { Notice } from '../../sources/source.ts';
import { createJsonReport } from './report-json.ts';
import { createMarkdownReport } from './report-markdown.ts';

export interface ReportedRun {
  readonly verb: string;
  readonly inputs: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A record that needs attention; the others are only counted. */
export interface ReportEntry {
  readonly origin: Origin;
  readonly outcome: 'noted' | 'rejected' | 'skipped';
  readonly reasons: readonly Note[];
}

/** Makes the text of a report piece by piece: `head`, then `entries` and `notice` any number of times, then `tail`. */
export interface ReportFormat {
  head(run: ReportedRun): string;
  entries(entries: readonly ReportEntry[]): string;
  /** Kept for the tail: there are few. */
  notice(notice: Notice): void;
  /** `stopped`: why the run ended before its end; the report is then about those who had come so far. */
  tail(tally: Tally, seconds: number, stopped?: string): string;
}

const formats: Readonly<Record<string, () => ReportFormat>> = {
  '.json': createJsonReport,
  '.md': createMarkdownReport,
};

/** By the name of the file; throws `UsageError` for any other ending, so ask before the run begins. */
export function createReportFormat(path: string): ReportFormat {
  const create = formats[extname(path).toLowerCase()];
  if (create) return create();
  throw new UsageError(`--report ${path}: the name must end in .json or .md`, {
    hint: 'The ending chooses the form: .json for programs, .md for people.',
  });
}
