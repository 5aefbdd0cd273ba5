/** What `--report` says of a run that ended before it had anything to report: refused, interrupted, or a dry run. */
import { markdownText } from '../../lib/markdown.ts';
import type { ReportContents } from './report.ts';

interface StoppedReportHead {
  /** As it was typed: `migrate keycloak`. */
  readonly verb: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface RunEnd {
  readonly stopped: string;
  readonly hint?: string | undefined;
  readonly exitCode: number;
}

export const stoppedReport: ReportContents<StoppedReportHead, never, never, RunEnd & { seconds: number }> = {
  format: 'idport-stopped-report',
  list: 'users',
  item: (user) => user,
  tail: (tail) => tail,
  title: ({ verb }) => `idport ${verb}`,
  notes: ({ hint = '', exitCode }) => [
    `Exit code ${exitCode}.`,
    '',
    ...(hint === '' ? [] : [markdownText(hint), '']),
  ],
  sections: () => [],
  user: (user) => user,
};
