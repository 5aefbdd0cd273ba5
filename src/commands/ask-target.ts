/** The preflight of `idport check --url`: asks the service about its settings, and lists existing users. */
import { orgsOf } from './choose-org.ts';
import { isRefusal } from '../api/api-error.ts';
import type { Client } from '../api/client.ts';
import { type Emit, note } from '../events.ts';
import type { OrgSettings } from '../flows/orgs/choose-org.ts';
import { matchSource, placeUsers } from '../flows/orgs/match-orgs.ts';
import type { UserSource, OpenedSource } from '../flows/read/read-users.ts';
import {
  askService,
  listUsers,
  askPasswordPolicies,
  askProviders,
  listTakenIds,
} from '../flows/preflight/ask-service.ts';
import { reportCreateUser } from '../flows/import-users/create-user-support.ts';
import { waitForWrites } from '../flows/reconcile/write-times.ts';
import { connect, failFast } from './connect.ts';
import type { CheckFlags } from '../flags/imports.ts';
import type { CommandContext } from './context.ts';
import { journalFolders } from './source.ts';

export async function askTarget(
  flags: CheckFlags,
  source: OpenedSource,
  context: CommandContext,
  /** Set if users go to several organizations. */
  users?: UserSource & { readonly orgs: OrgSettings },
) {
  const named = await orgsOf(flags.org === undefined ? undefined : [flags.org], source);
  const client = await connect(flags, context, failFast);
  const { orgs } =
    users === undefined
      ? await matchSource(client, source, named, context.emit)
      : await placeUsers(client, users, named, users.orgs, context.emit);
  const orgIds = orgs.map(({ orgId }) => orgId);
  context.addFacts({ organizations: orgIds });
  const lists = { ...context, client, wait: { left: flags.wait } };
  const isComplete = await waitForWrites(lists, journalFolders(source, context.cwd));
  return {
    ...(await askService(client, orgs, context.emit)),
    /** The API with which `import-users` would create users. */
    api: await reportCreateUser(client, context.emit),
    /** Ids of identity providers. Undefined if the token may not list them. */
    providers: await askProviders(client, orgIds),
    passwordPolicies: await askPasswordPolicies(client, orgIds),
    /** False if the service's list of users still lags behind, so that users may be missing. */
    isComplete,
    /** Pages of existing users. */
    users: listKnown(client, context.emit),
  };
}

/** Yields pages of existing users, then of ids that users of deleted organizations still occupy. */
async function* listKnown(client: Client, emit: Emit) {
  for await (const page of listUsers(client)) {
    // The name again, as in an organization whose user names are its own.
    yield page.flatMap(({ orgId = '', ...user }) => [
      user,
      { id: '', userName: `${orgId}\n${user.userName}` },
    ]);
  }
  try {
    for await (const ids of listTakenIds(client)) yield ids.map((id) => ({ id }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const text =
      'Ids of users in deleted organizations stay taken. This token may not see which (events.read; IAM_OWNER_VIEWER has it); the import will report them.';
    emit(note('target:taken-ids', text));
  }
}
