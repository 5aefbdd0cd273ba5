/** What a one-by-one import carries from user to user. */
import type { Journal } from '../../journal/journal.ts';
import { messagesOf, type Messages, type Route } from '../../records/messages.ts';
import type { Tally } from '../../records/tally.ts';
import type { Note, UserRecord } from '../../records/user.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import type { PasswordEmails } from '../messages/password-emails.ts';
import type { LookUpContext } from '../reconcile/look-up.ts';
import type { UsersPlan } from '../resume/journal-users.ts';
import type { Shard } from '../source/shard.ts';
import type { IdMap } from '../report/id-map.ts';
import type { RunLog } from '../report/run-log.ts';
import type { Api, FirstUsers } from './create-user-support.ts';
import type { ErrorLimit } from './error-limit.ts';
import type { TargetIds } from '../resources/create.ts';
import type { CreateUserOptions } from '../../targets/create-user.ts';
import type { ServiceUsers } from './service-users.ts';
import type { UserIds } from './user-ids.ts';

export interface UsersRun extends LookUpContext {
  /** Undefined where each user goes to the organization of the body. */
  readonly org: string | undefined;
  readonly route: Route;
  readonly passwordEmails: PasswordEmails;
  readonly journal: Journal;
  readonly plan: UsersPlan;
  readonly shard: Shard | undefined;
  /** Users of the source, or of the shard: each has to be counted once. */
  readonly users: number;
  readonly tally: Tally;
  readonly log: RunLog;
  readonly concurrency: number;
  readonly ids: UserIds;
  /** Ids of users that were at the target before the first request of the run. */
  readonly taken: { has(id: string): boolean };
  /** Which call creates users. */
  readonly api: Api;
  /** For users that are changed in place. */
  readonly serviceUsers: ServiceUsers;
  /** Prove that the service takes users whole. */
  readonly first: FirstUsers;
  readonly sendVerification: CreateUserOptions['sendVerification'];
  /** Of the projects of the body. */
  readonly projectIds: TargetIds;
  readonly idMap: IdMap;
  /** Of the users in the journal. */
  readonly fingerprints: Fingerprints;
  /** Changed users with a name for the time being, because theirs is not free yet, and the notes on their change. */
  readonly interim: Map<number, readonly Note[]>;
  readonly errors: ErrorLimit;
  readonly sent: SentUsers;
  /** Follow-up calls that were refused; the users are there. */
  followUpsFailed: number;
}

/** What the service sends a user who is created, or changed where a previous run has left the user as `before`. */
export async function dueMessages(
  run: Pick<UsersRun, 'org' | 'route' | 'passwordEmails'> & {
    readonly fingerprints: Pick<Fingerprints, 'key'>;
  },
  record: UserRecord,
  before: PreviousState | undefined,
): Promise<Messages> {
  if (before === undefined) return messagesOf(record, run.route);
  return run.passwordEmails.messagesOf(record, {
    before,
    key: run.fingerprints.key,
    org: orgOf(run, record),
  });
}

/** Where a user goes. */
export function orgOf(
  { org }: Pick<UsersRun, 'org'>,
  { orgId }: { readonly orgId?: string | undefined },
): string {
  return org ?? orgId ?? '';
}

/** Counts the users that were to be sent, whatever became of them. */
export interface SentUsers {
  /** Done before a resume. */
  readonly before: number;
  now: number;
}

export function reportProgress({ emit, sent: { before, now } }: Pick<UsersRun, 'emit' | 'sent'>): void {
  emit({ type: 'run:progress', bytes: 0, records: before + now, before });
}
