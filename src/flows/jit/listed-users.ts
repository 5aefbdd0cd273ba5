/**
 * Finds a user of the service on the list of `--jit-list`, and tells whether the password there is the user's own or the
 * placeholder.
 */
import { IdportError } from '../../errors.ts';
import { type MigratedUser, sampleSize } from './migrated-users.ts';
import type { LoginService, ServiceUser } from './service.ts';
import type { ListedUser, UserList } from './user-list.ts';

/**
 * The service shows since when a user has this password. Until someone changes it, that is the moment in which the user
 * was created: all calls that create a user store both in one event. Only the id shows that the import has created this
 * user, and not the user himself before. Where the service says nothing, the password counts as that of the user.
 */
export async function hasOwnPassword(
  id: string,
  listed: ListedUser | undefined,
  service: LoginService,
): Promise<boolean> {
  if (!(await service.hasPassword(id))) return false;
  if (listed?.placeholder !== true || listed.id !== id) return true;
  // Looked up by id, because searches may be behind.
  const { created = '', passwordChanged = '' } = (await service.findUser(id)) ?? {};
  return passwordChanged === '' || passwordChanged !== created;
}

/** The user of the service that a user of the list is: import-users may have let the service choose the id. */
export const findUserOf = async ({ id, userName }: ListedUser, service: LoginService) =>
  (id === '' ? undefined : await service.findUser(id)) ?? (await service.findByUserName(userName));

/** Throws where the service has users of the list under other ids: their placeholder passwords would count as theirs. */
export async function requireIds(list: UserList, service: LoginService) {
  let looked = 0;
  let named = 0;
  for await (const { id, userName, placeholder } of list.all()) {
    if (looked++ === sampleSize || placeholder !== true) break;
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

/** How much later than the clock of a receiver that of the service may be (ms). */
const clockSlack = 60_000;

/**
 * Throws where the first users who have migrated were created anew since, as after a rollback: they would count as migrated,
 * and no password would let them in.
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

/**
 * How many of the first users of a list the service has, how many of these without a password, and in which organizations.
 */
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
 * By id; by user name where the service has chosen the ids, as it does for `import-users`. A user whose listed id or
 * whose name another user of the service has may be that one: who can make users must not get passwords of others checked.
 */
export async function findListed(
  user: ServiceUser,
  list: UserList,
  service: Pick<LoginService, 'findUser' | 'findByUserName'>,
): Promise<ListedUser | undefined> {
  const listed = await list.find(user);
  if (listed === undefined || listed.id === user.id) return listed;
  // Whose password is the placeholder, the id alone says.
  if (listed.placeholder === true) return undefined;
  if (listed.id !== '' && (await service.findUser(listed.id)) !== undefined) return undefined;
  const named = await service.findByUserName(user.userName);
  return named?.id === user.id ? listed : undefined;
}
