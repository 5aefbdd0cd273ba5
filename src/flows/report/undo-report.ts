/** Defines the contents of `--report` for a rollback. Their JSON form is `wire/reports.ts`. */
import type { UndoneUsers } from '../../events.ts';
import { formatSeconds } from '../../lib/format.ts';
import { outcomeReason, undoOutcomes, undoSection } from '../../records/outcomes.ts';
import type { FoundUser } from '../reconcile/find-users.ts';
import type { KeptUser } from '../../wire/reports.ts';
import type { ListedUser, ReportContents, ReportTail } from './report.ts';

interface UndoReportHead {
  readonly journal: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** A user who is not deleted. */
interface StayingUser extends Pick<KeptUser, 'outcome' | 'detail'> {
  readonly created: { readonly oldId: string; readonly userName: string };
  readonly found?: Pick<FoundUser, 'id' | 'org' | 'userName' | 'email'> | undefined;
}

interface UndoReportTail extends ReportTail {
  readonly users: UndoneUsers;
  /** Nothing was deleted, because the number was not confirmed. */
  readonly dryRun: boolean;
}

export const undoReport: ReportContents<UndoReportHead, StayingUser, KeptUser, UndoReportTail> = {
  format: 'idport-undo-report',
  item({ created, found, outcome, detail }) {
    const { id: targetId = '', org: orgId = '', userName = created.userName, email = '' } = found ?? {};
    return { outcome, id: created.oldId, targetId, orgId, userName, email, detail };
  },
  tail: ({ users, ...tail }) => ({ ...tail, summary: users }),
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
