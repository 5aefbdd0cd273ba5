/** Matches users of the service with the `--jit-list` list, and tells their own passwords from placeholders. */
import { IdportError } from '../../errors.ts';
import { type MigratedUser, sampleSize } from './migrated-users.ts';
import type { LoginService, ServiceUser } from './service.ts';
import type { ListedUser, UserList } from './user-list.ts';

/**
 * Reports whether the user has a password of their own, not only the placeholder. The placeholder is set in the event that
 * creates the user, so it has the same time as the creation until someone changes it. The id must match: otherwise the
 * user may have signed up before the import. If the service does not tell the times, the password counts as the user's own.
 */
export async function hasOwnPassword(id: string, listed: ListedUser | undefined, service: LoginService) {
  if (!(await service.hasPassword(id))) return false;
  if (!listed?.placeholder || listed.id !== id) return true;
  // Read by id, because search results may be outdated.
  const { created = '', passwordChanged = '' } = (await service.findUser(id)) ?? {};
  return passwordChanged === '' || passwordChanged !== created;
}

/** Finds a listed user at the service, by name if import-users let the service choose the id. */
export const findUserOf = async ({ id, userName }: ListedUser, service: LoginService) =>
  (id === '' ? undefined : await service.findUser(id)) ?? (await service.findByUserName(userName));

/** Throws if users of the list have other ids at the service: their placeholders would count as their own passwords. */
export async function requireIds(list: UserList, service: LoginService) {
  let looked = 0;
  let named = 0;
  for await (const { id, userName, placeholder } of list.all()) {
    if (looked++ === sampleSize || !placeholder) break;
    if (id !== '' && (await service.findUser(id)) !== undefined) return;
    if ((await service.findByUserName(userName)) !== undefined) named++;
  }
  if (named === 0) return;
  throw new IdportError(
    'jit:ids',
    'the service has users of this list under other ids',
    'Give the id map of import-users with --id-map: importBody.json.ids.csv.',
  );
}

/** How far the service's clock may be ahead of the receiver's (ms). */
const clockSlack = 60_000;

/**
 * Throws if the first migrated users were created again since, as after a rollback. They would count as migrated, and no
 * password would let them in.
 */
export async function requireSameUsers(migrated: readonly MigratedUser[], service: LoginService) {
  let anew = 0;
  for (const { id, at } of migrated) {
    const user = await service.findUser(id);
    if (user === undefined) continue;
    if (!(Date.parse(user.created) > Date.parse(at) + clockSlack)) return;
    anew++;
  }
  if (anew === 0) return;
  throw new IdportError(
    'jit:journal',
    'users were created anew after they had migrated, and the journal says that they need not migrate',
    'Move the journal away. In a shared state, delete the key idport:jit:<host>:migrated.',
  );
}

/** Counts how many of the list's first users exist at the service and how many have no password, and collects their organizations. */
export async function lookAtFirst(list: UserList, service: LoginService) {
  const counts = { looked: 0, without: 0, orgs: new Set<string>() };
  for await (const listed of list.all()) {
    if (counts.looked === sampleSize) break;
    const user = await findUserOf(listed, service);
    if (user === undefined) continue;
    counts.looked++;
    counts.orgs.add(user.orgId);
    if (!(await service.hasPassword(user.id))) counts.without++;
  }
  return counts;
}

/**
 * Finds the list entry of a user: by id, or by user name if the service chose the ids. Returns undefined if another user of
 * the service has the listed id or the name. Otherwise someone who can create users could have passwords of others checked.
 */
export async function findListed(
  user: ServiceUser,
  list: UserList,
  service: Pick<LoginService, 'findUser' | 'findByUserName'>,
) {
  const listed = await list.find(user);
  if (listed === undefined || listed.id === user.id) return listed;
  // Only a matching id proves that the password is the placeholder.
  if (listed.placeholder) return undefined;
  if (listed.id !== '' && (await service.findUser(listed.id)) !== undefined) return undefined;
  const named = await service.findByUserName(user.userName);
  return named?.id === user.id ? listed : undefined;
}
