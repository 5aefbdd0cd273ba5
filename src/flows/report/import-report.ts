/**
 * Entries with trouble and the final counts in, the report of an import out: JSON for programs, Markdown for people.
 */
import { extname } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { ImportTally } from '../../records/import-tally.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';

export interface ReportedEntry {
  readonly list: string;
  /** Its place in the list, over all organizations, from 0. */
  readonly index: number;
  readonly orgId: string;
  readonly id: string;
  readonly outcome: 'failed' | 'rejected' | 'noted' | 'existed';
  readonly reason?: { readonly code: ReasonCode; readonly detail: string };
}

/** Makes the text of a report piece by piece: `head`, then `entry` any number of times, then `tail`. */
export interface ImportReportFormat {
  head(run: { readonly input: string; readonly url: string; readonly startedAt: number }): string;
  entry(entry: ReportedEntry): string;
  tail(tally: ImportTally, seconds: number): string;
}

const formats: Readonly<Record<string, () => ImportReportFormat>> = {
  '.json': createJson,
  '.md': createMarkdown,
};

/** By the name of the file; throws `UsageError` for any other ending, so ask before the run begins. */
export function createImportReport(path: string): ImportReportFormat {
  const create = formats[extname(path).toLowerCase()];
  if (create) return create();
  throw new UsageError(`--report ${path}: the name must end in .json or .md`, {
    hint: 'The ending chooses the form: .json for programs, .md for people.',
  });
}

function createJson(): ImportReportFormat {
  let first = true;
  return {
    head({ input, url, startedAt }) {
      const fields = {
        format: 'idport-import-report',
        version: 1,
        input,
        url,
        startedAt: new Date(startedAt),
      };
      return `${JSON.stringify(fields).slice(0, -1)},"entries":[`;
    },
    entry({ reason, ...entry }) {
      const remedy = reason === undefined ? {} : { ...reason, remedy: reasons[reason.code].remedy };
      const text = `${first ? '' : ','}\n${JSON.stringify({ ...entry, ...remedy })}`;
      first = false;
      return text;
    },
    tail(tally, seconds) {
      const { requests, lookedUp, takenApart } = tally;
      const lists = Array.from(tally.lists, ([list, counts]) => ({ list, ...counts }));
      const summary = { lists, reasons: Object.fromEntries(tally.reasons), requests, lookedUp, takenApart };
      return `\n],${JSON.stringify({ seconds, summary }).slice(1)}\n`;
    },
  };
}

/** The counts come last, because they are known last. */
function createMarkdown(): ImportReportFormat {
  let first = true;
  return {
    head: ({ input, url, startedAt }) =>
      `# Import of ${cell(input)} to ${cell(url)}\n\nStarted ${new Date(startedAt).toISOString()}.\n\n`,
    entry({ list, index, orgId, id, outcome, reason }) {
      const head = first
        ? '## Entries that need attention\n\n| List | # | Organization | Id | Outcome | Reason | Detail | Remedy |\n|---|---|---|---|---|---|---|---|\n'
        : '';
      first = false;
      const remedy = reason === undefined ? '' : reasons[reason.code].remedy;
      const cells = [list, index, orgId, id, outcome, reason?.code ?? '', reason?.detail ?? '', remedy];
      return `${head}| ${cells.map((value) => cell(String(value))).join(' | ')} |\n`;
    },
    tail(tally, seconds) {
      const rows = Array.from(
        tally.lists,
        ([list, { total, created, existed, failed, rejected, unchanged = 0 }]) =>
          [list, total, created, existed, failed, rejected, unchanged].join(' | '),
      );
      return [
        `${first ? 'Nothing needs attention.\n' : ''}\n## Counts\n`,
        '| List | Total | Created | Existed | Failed | Rejected | Unchanged |',
        '|---|---|---|---|---|---|---|',
        ...rows.map((row) => `| ${row} |`),
        `\n${tally.requests} requests in ${seconds.toFixed(1)} seconds.\n`,
      ].join('\n');
    },
  };
}

function cell(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|');
}
