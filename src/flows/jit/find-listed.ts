/** Finds a user of the service on the list of `--jit-list`. */
import type { LoginService, ServiceUser } from './service.ts';
import type { ListedUser, UserList } from './user-list.ts';

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
