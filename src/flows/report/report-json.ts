/** Report entries in, the pieces of one JSON document out (`wire/report.ts`): constant memory, one line a record. */
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import { summarize } from '../../records/summary.ts';
import type { Notice } from '../../sources/source.ts';
import type { ReportFile, ReportedUser } from '../../wire/report.ts';
import type { ReportEntry, ReportFormat } from './report.ts';

export function createJsonReport(): ReportFormat {
  let separator = '\n';
  const notices: Notice[] = [];
  return {
    head: ({ verb, inputs, startedAt }) => {
      const head: Pick<ReportFile, 'format' | 'version' | 'verb' | 'inputs' | 'startedAt'> = {
        format: 'idport-report',
        version: 1,
        verb,
        inputs: [...inputs],
        startedAt: new Date(startedAt).toISOString(),
      };
      return `${JSON.stringify(head).slice(0, -1)},"users":[`;
    },
    entries: (entries) => {
      let text = '';
      for (const entry of entries) {
        text += separator + JSON.stringify(toReportedUser(entry));
        separator = ',\n';
      }
      return text;
    },
    notice: (notice) => {
      notices.push(notice);
    },
    tail: (tally, seconds, stopped) => {
      const summary: ReportFile['summary'] = structuredClone(summarize(tally)) as ReportFile['summary'];
      const told = JSON.stringify(notices);
      const end = stopped === undefined ? '' : `"stopped":${JSON.stringify(stopped)},`;
      return `\n],"notices":${told},"seconds":${seconds},${end}"summary":${JSON.stringify(summary)}}\n`;
    },
  };
}

function toReportedUser({ origin, outcome, reasons: notes }: ReportEntry): ReportedUser {
  return {
    input: origin.input,
    index: origin.index,
    id: origin.id,
    outcome,
    reasons: notes.map(({ code, detail }) =>
      detail === undefined || detail === ''
        ? { code, remedy: remedyOf(code) }
        : { code, detail, remedy: remedyOf(code) },
    ),
  };
}

function remedyOf(code: ReasonCode): string {
  return reasons[code].remedy;
}
