/** What `--report` says of a rollback; the JSON form is `wire/undo-report.ts`. */
import { markdownTable, markdownText } from '../../lib/markdown.ts';
import { formatCounted, formatSeconds } from '../../lib/quantity.ts';
import type { UndoneUsers } from '../../events.ts';
import type { KeptUser } from '../../wire/undo-report.ts';
import type { ReportContents } from './report.ts';

export interface UndoReportHead {
  readonly journal: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface UndoReportTail {
  readonly users: UndoneUsers;
  /** Nothing was deleted: the number was not confirmed. */
  readonly dryRun: boolean;
  readonly seconds: number;
}

export const undoReport: ReportContents<UndoReportHead, KeptUser, UndoReportTail> = {
  json: {
    head: ({ journal, url, startedAt }) => ({
      format: 'idport-undo-report',
      version: 1,
      journal,
      url,
      startedAt: new Date(startedAt),
    }),
    list: 'users',
    item: (user) => user,
    tail: ({ users, dryRun, seconds }) => ({ dryRun, seconds, summary: users }),
  },
  page: {
    front: ({ journal, url, startedAt }, { users, dryRun, seconds }) => [
      '# idport undo',
      '',
      `Rollback of ${markdownText(journal)} at ${markdownText(url)}.`,
      '',
      `Started ${new Date(startedAt).toISOString()}, done in ${formatSeconds(seconds)}.`,
      '',
      ...(dryRun ? ['**Nothing was deleted: the number of users was not confirmed.**', ''] : []),
      ...markdownTable(
        'Users',
        ['', 'users'],
        [
          ['created by the import', users.created],
          ['deleted', users.deleted],
          ['already deleted', users.gone],
          ['another user has the name or id now', users.foreign],
          ['changed since the import', users.changed],
          ['refused by the service', users.refused],
        ],
      ),
    ],
    rows: ({ outcome, id, targetId, userName, email, detail }) => [
      { section: outcome, cells: [id, targetId, userName, email, detail] },
    ],
    sections: (counts) =>
      keptOutcomes
        .filter(({ outcome }) => counts.has(outcome))
        .map(({ outcome, title, remedy }) => ({
          section: outcome,
          heading: `${title}: ${formatCounted(counts.get(outcome) ?? 0, 'user')}`,
          columns: ['id', 'id at the target', 'user name', 'email', 'what'],
          intro: remedy,
        })),
    back: () => [],
  },
};

/** Why a user of the run is still there. */
export const keptOutcomes: readonly {
  readonly outcome: KeptUser['outcome'];
  readonly title: string;
  readonly remedy: string;
}[] = [
  {
    outcome: 'refused',
    title: 'Refused by the service',
    remedy: 'Resolve what the service gave as the reason, then run the same command again.',
  },
  {
    outcome: 'changed',
    title: 'Changed since the import, and not deleted',
    remedy: 'Check them; the same command with `--changed=delete` deletes them.',
  },
  {
    outcome: 'foreign',
    title: 'Another user has the name or id now, and is not deleted',
    remedy: 'Nothing to do: they are not of this import.',
  },
];
