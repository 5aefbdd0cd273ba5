/** The preflight of `idport check --url`: asks the service, and lists the users that exist already. */
import { isRefusal } from '../api/api-error.ts';
import type { Client } from '../api/client.ts';
import { UsageError } from '../errors.ts';
import { type Emit, type IdportEvent, note, warning } from '../events.ts';
import type { KnownUser } from '../flows/convert/duplicates.ts';
import { type OrgSettings, orgById } from '../flows/orgs/choose-org.ts';
import { matchSource, placeUsers } from '../flows/orgs/match-orgs.ts';
import type { UserSource, OpenedSource } from '../flows/source/read-users.ts';
import {
  askService,
  listUsers,
  askPasswordPolicies,
  askProviders,
  listTakenIds,
} from '../flows/preflight/ask-service.ts';
import { reportCreateUser } from '../flows/import-users/create-user-support.ts';
import { readLastAdded } from '../flows/reconcile/event-log.ts';
import { createWait, readListTime, waitForList } from '../flows/reconcile/list-lag.ts';
import { warnOfUnreadable } from '../flows/runs/list-runs.ts';
import { readLastUserWriteIn } from '../flows/reconcile/write-times.ts';
import { readOrgs } from '../sources/body/provider.ts';
import { connect, failFast } from './connect.ts';
import type { CheckFlags } from '../flags/imports.ts';
import type { CommandContext } from './context.ts';
import { journalFolders } from './source.ts';
import type { TargetOrg } from '../records/organization.ts';
import { latest } from '../lib/clock.ts';

export type Target = Awaited<ReturnType<typeof askTarget>>;

export async function askTarget(
  flags: CheckFlags,
  source: OpenedSource,
  context: CommandContext,
  /** Present if users go to several organizations. */
  users?: UserSource & { readonly orgs: OrgSettings },
) {
  const named = flags.org === undefined ? await orgsOfBody(source) : [orgById(flags.org)];
  const client = await connect(flags, context, failFast);
  const { orgs } =
    users === undefined
      ? await matchSource(client, source, named, context.emit)
      : await placeUsers(client, users, named, users.orgs, context.emit);
  const orgIds = orgs.map(({ orgId }) => orgId);
  context.addFacts({ organizations: orgIds });
  const isComplete = await waitForWrites(flags, source, client, context);
  return {
    ...(await askService(client, orgs, context.emit)),
    /** The call by which `import-users` would create users. */
    api: await reportCreateUser(client, context.emit),
    /** Ids; undefined if the token may not list them. */
    providers: await askProviders(client, orgIds),
    passwordPolicies: await askPasswordPolicies(client, orgIds),
    /** False if the list of users still lags behind and may miss users. */
    isComplete,
    /** In pages. */
    users: listKnown(client, context.emit),
  };
}

/**
 * Lists of the service lag behind. This waits until they show the last user added, if the token may read events, and the runs
 * with journals next to the input. Returns whether they do; true, with a note, if neither is known.
 */
async function waitForWrites(
  { wait }: CheckFlags,
  source: OpenedSource,
  client: Client,
  context: CommandContext,
): Promise<boolean> {
  const times = [await readLastAdded(client)];
  for (const folder of journalFolders(source, context.cwd))
    times.push(await readLastUserWriteIn(folder, client.url, warnOfUnreadable(context.emit)));
  const until = latest(times);
  if (until === undefined) context.emit(unknownWrite(await readListTime(client)));
  if (until === undefined || until === -Infinity) return true;
  if (await waitForList({ ...context, client, wait: createWait(wait) }, until)) return true;
  const text =
    "The service's list of users is still behind: users that were imported last may be missing here.";
  context.emit(warning('list:not-yet', text));
  return false;
}

function unknownWrite(listTime: number | undefined): IdportEvent {
  const asOf = listTime === undefined ? '' : ` as of ${new Date(listTime).toISOString()}`;
  const text =
    `Existing users are those of the service's list${asOf}. It may lack users who were added last: the token may not read ` +
    'events (events.read; IAM_OWNER_VIEWER has it), and there is no journal next to the input.';
  return note('list:as-of', text);
}

/** Existing users, and ids that deleted organizations still occupy. */
async function* listKnown(client: Client, emit: Emit): AsyncGenerator<readonly KnownUser[]> {
  yield* listUsers(client);
  try {
    for await (const ids of listTakenIds(client)) yield ids.map((id) => ({ id }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const text =
      'Users of deleted organizations keep their ids taken, and the token may not see these ids (events.read; ' +
      'IAM_OWNER_VIEWER has it): the import will report them.';
    emit(note('target:taken-ids', text));
  }
}

/** Throws `UsageError` for a body that cannot be read twice. */
export async function orgsOfBody({ inputs: [input] }: OpenedSource): Promise<readonly TargetOrg[]> {
  if (input?.repeatable === true) return readOrgs(input);
  throw new UsageError(
    '--org <id> is missing',
    'A body on standard input is read once: name its organization, or give a file.',
  );
}
