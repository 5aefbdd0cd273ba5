/** Finds a user of the service on the list of `--jit-hashes`. */
import type { LoginService, ServiceUser } from './service.ts';
import type { ListedUser, UserList } from './user-list.ts';

/**
 * By id; by user name where the service has chosen the ids, as it does for `import-users`. A user whose listed id is
 * taken at the service is another one of the same name.
 */
export async function findListed(
  user: ServiceUser,
  list: UserList,
  service: Pick<LoginService, 'findUser'>,
): Promise<ListedUser | undefined> {
  const listed = await list.find(user);
  if (listed === undefined || listed.id === '' || listed.id === user.id) return listed;
  return (await service.findUser(listed.id)) === undefined ? listed : undefined;
}
