/** What `--report` says of a rollback; the JSON form is `wire/undo-report.ts`. */
import type { UndoneUsers } from '../../events.ts';
import { formatSeconds } from '../../lib/quantity.ts';
import { outcomeReason, undoOutcomes, undoSection } from '../../records/outcomes.ts';
import type { KeptUser } from '../../wire/undo-report.ts';
import type { ListedUser, ReportContents } from './report.ts';

interface UndoReportHead {
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

export const undoReport: ReportContents<UndoReportHead, KeptUser, KeptUser, UndoReportTail> = {
  format: 'idport-undo-report',
  list: 'users',
  item: (user) => user,
  tail: ({ users, dryRun, seconds }) => ({ dryRun, seconds, summary: users }),
  title: () => 'idport undo',
  notes: ({ dryRun }) =>
    dryRun ? ['**Nothing was deleted: the number of users was not confirmed.**', ''] : [],
  sections: ({ users, seconds }) => [undoSection(users, formatSeconds(seconds))],
  user: listKept,
};

export function listKept({ orgId, detail, ...user }: KeptUser): ListedUser {
  const reasons = [outcomeReason(undoOutcomes, user.outcome, detail)];
  return { ...user, id: user.id || user.targetId, org: orgId, input: '', index: undefined, reasons };
}
