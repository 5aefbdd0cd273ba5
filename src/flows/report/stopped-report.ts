/** What `--report` says of a run that ended before it had anything to report: refused, interrupted, or a dry run. */
import { markdownText } from '../../lib/markdown.ts';
import { formatSeconds } from '../../lib/quantity.ts';
import type { ReportContents } from './report.ts';

interface StoppedReportHead {
  /** As it was typed: `migrate keycloak`. */
  readonly verb: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

interface StoppedReportTail {
  readonly stopped: string;
  readonly hint?: string | undefined;
  readonly exitCode: number;
  readonly seconds: number;
}

export const stoppedReport: ReportContents<StoppedReportHead, never, StoppedReportTail> = {
  json: {
    head: ({ verb, startedAt }) => ({
      format: 'idport-stopped-report',
      version: 1,
      verb,
      startedAt: new Date(startedAt),
    }),
    list: 'users',
    item: (user) => user,
    tail: (tail) => tail,
  },
  page: {
    front: ({ verb, startedAt }, { stopped, hint = '', exitCode, seconds }) => [
      `# idport ${markdownText(verb)}`,
      '',
      `Started ${new Date(startedAt).toISOString()}, ended after ${formatSeconds(seconds)} with exit code ${exitCode}.`,
      '',
      `**The run ended before its report.** ${markdownText(stopped)}`,
      '',
      ...(hint === '' ? [] : [markdownText(hint), '']),
    ],
    rows: () => [],
    sections: () => [],
    back: () => [],
  },
};
