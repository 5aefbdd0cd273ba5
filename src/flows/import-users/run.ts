/** What a one-by-one import is asked for, what it carries from user to user, and when it stops because too many users fail. */
import { State } from '../../journal/load.ts';
import { messagesOf, type Messages } from '../../records/messages.ts';
import type { UserRecord } from '../../records/user.ts';
import type { PreviousState } from '../incremental/fingerprint.ts';
import { mutedFileOf, muteOrgs, type PasswordEmails } from '../messages/password-emails.ts';
import type { OpenedRun, AnyImportRequest } from '../runs/open-run.ts';
import { noTargetIds, type TargetIds } from '../resources/create.ts';
import { countResults, readSentUsers, type UsersPlan } from '../runs/journal-users.ts';
import { createFirstUsers, type Api } from './create-user-support.ts';
import { createServiceUsers, type TakenIds } from './service-users.ts';
import { createUserIds, type UserIds, type IdRule } from './user-ids.ts';
import { IdportError } from '../../errors.ts';
import type { TargetOrg } from '../../records/resource.ts';
import type { Notice } from '../../notice.ts';
import type { CreateUserOptions } from '../../targets/create-user.ts';
import type { AppsOfProject } from '../resources/source-apps.ts';
import type { UserSource } from '../read/read-users.ts';
import type { DeletedRule } from './deleted-users.ts';
import type { Selection } from './select-users.ts';

export interface ImportUsersRequest extends AnyImportRequest {
  readonly source: UserSource;
  readonly selection: Selection;
  readonly api: Api;
  readonly idRule: IdRule;
  /** Undefined if each user goes to the organization that the body names. */
  readonly org: string | undefined;
  /** All organizations that users go to. Those with a name are created if they do not exist. */
  readonly orgs: readonly TargetOrg[];
  /** Clients of the source, which become applications. A body has its own applications. */
  readonly apps?: AppsOfProject | undefined;
  /** Notices given before the import, for the report. */
  readonly notices?: readonly Notice[];
  /** What to do with users deleted in the source since the previous runs. `report` only names them. */
  readonly deleted?: DeletedRule | undefined;
  readonly errors: ReturnType<typeof createErrorLimit>;
  /** Switches off the email about changed passwords until the run ends. A function is asked first if too many would be sent. */
  readonly muteEmails?: true | ((question: string) => Promise<boolean>) | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  readonly dryRun: boolean;
  /** `send`: the service itself hashes passwords in plain text. */
  readonly plainPasswords?: 'hash' | 'send';
  /** If absent, nothing is sent to users. */
  readonly sendVerification?: CreateUserOptions['sendVerification'];
  /** Settings that change the meaning of the users' numbers. With other values it is another run. */
  readonly settings: Readonly<Record<string, string>>;
}

interface Scanned {
  /** Number of users to be sent. */
  readonly chosen: number;
  readonly requests: number;
  readonly plan: UsersPlan;
}

export interface StartOptions {
  readonly scan: Scanned;
  /** Ids of users that were at the target before the first request of the run. */
  readonly taken: TakenIds;
  readonly passwordEmails: PasswordEmails;
  /** Ids of the body's projects at the target. */
  readonly projectIds: TargetIds | undefined;
}

export type UsersRun = Awaited<ReturnType<typeof startRun>>;

export async function startRun(request: ImportUsersRequest, opened: OpenedRun, options: StartOptions) {
  const { journal, fingerprints, client } = opened;
  const { scan, taken, projectIds = noTargetIds(), passwordEmails } = options;
  const { api, idRule, source, perSecond } = request;
  const records = scan.chosen + (opened.journal.resumed ? taken.counts.existing : 0);
  opened.emit({
    type: 'run:start',
    verb: 'import-users',
    inputs: source.inputs.map(({ name }) => name),
    records,
    // A user may take several requests.
    perSecond: perSecond && scan.requests ? (perSecond * scan.chosen) / scan.requests : undefined,
  });
  if (passwordEmails.isMuted) await muteOrgs(client, passwordEmails.orgs, mutedFileOf(journal.path));
  const key = `${fingerprints.key} ${journal.header.startedAt}`;
  const isCreated = (user: number) => journal.states.get(user) === State.created;
  const ids = createUserIds(api === 'v2' ? idRule : undefined, key, isCreated);
  if (journal.resumed) await readResults(opened, ids);
  // The users of requests whose result is unknown may exist. Follow-up calls are made again, with the same result.
  for (const { attempt, entries } of journal.open) {
    const { users } = scan.plan;
    const [number = users] = entries;
    await journal.settleSoon(attempt, { unconfirmed: number < users ? entries : [] });
  }
  // The settings of the resumed run may have chosen other users.
  const { done, failed } = countResults(journal.progress);
  return {
    ...request,
    ...opened,
    ...options,
    plan: scan.plan,
    ids,
    projectIds,
    /** Looks up users that are changed in place. */
    serviceUsers: createServiceUsers(client),
    /** Proves with the first users that the service keeps all parts. */
    first: createFirstUsers(client),
    route: source.policy.route,
    /** Numbers of users with a result, whatever it was: before a resume, and in this run. */
    sent: { before: Math.min(records, done + failed), now: 0 },
    /** Number of refused follow-up calls. Their users exist. */
    followUpsFailed: 0,
  };
}

/** Fills in the ids that users were sent with or that the service gave, and writes the id map again. */
async function readResults({ journal, idMap }: OpenedRun, ids: UserIds) {
  for await (const { entry, id, userName, end: state, newId } of readSentUsers(journal)) {
    if (state === 'created' || (state === 'open' && newId !== undefined)) ids.set(entry, newId ?? id, id);
    if (state === 'open') continue;
    idMap?.add({ oldId: id === '' ? userName : id, newId: state === 'failed' ? '' : (newId ?? id), state });
  }
}

/** Returns the messages that the service sends to a user who is created, or changed after a previous run left it as `before`. */
export const dueMessages = async (
  run: Pick<UsersRun, 'org' | 'route' | 'passwordEmails'>,
  record: UserRecord,
  before: PreviousState | undefined,
): Promise<Messages> =>
  before === undefined
    ? messagesOf(record, run.route)
    : run.passwordEmails.messagesOf(record, before, orgOf(run, record));

/** Returns the organization that a user goes to. */
export function orgOf({ org }: Pick<UsersRun, 'org'>, { orgId }: { readonly orgId?: string | undefined }) {
  return org ?? orgId ?? '';
}

export function reportProgress({ emit, sent: { before, now } }: UsersRun) {
  emit({ type: 'run:progress', bytes: 0, records: before + now, before });
}

const enoughForShare = 100;
const enoughToBeHopeless = 30;

/**
 * `share` is a part of the users sent, from 0 to 1. Without `most` and `share`, a run stops if its first users are all refused.
 */
export function createErrorLimit({ most = Infinity, share = Infinity }: { most?: number; share?: number }) {
  const hopeless = most === Infinity && share === Infinity ? enoughToBeHopeless : Infinity;
  let failed = 0;
  let sent = 0;
  /** Counts a user, with the reason of a failure. Throws `import:too-many-errors` if the run is to stop. */
  return (failure: string | undefined) => {
    sent += 1;
    if (failure === undefined) return;
    failed += 1;
    if (failed > most) throw tooMany(`more users have failed than --max-errors=${most} allows`, failure);
    if (sent >= enoughForShare && failed > share * sent)
      throw tooMany(`${failed} of ${sent} users have failed`, failure);
    if (failed === sent && sent >= hopeless)
      throw tooMany(`the first ${sent} users have all failed`, failure);
  };
}

function tooMany(what: string, last: string) {
  return new IdportError(
    'import:too-many-errors',
    `${what}, the last one with: ${last}`,
    'Find out why first; `idport check` tells what the target accepts. --resume does not send refused users again: import them from the file of --rejects.',
  );
}
