/** Finds users by name, and checks whether a name is allowed. */
import { refusal } from '../errors.ts';
import { loginMustBeDomain } from './show.ts';
import type { OrgRow, UserRow } from '../store/rows.ts';
import { nameKey, type Store } from '../store/store.ts';

/** The user with that name: in the organization where its login names carry its domain, else in the instance. */
export function findNameOwner(store: Store, org: OrgRow, userName: string): UserRow | undefined {
  const owners = store.users.by('name', nameKey(userName));
  if (owners.length === 0) return undefined;
  if (loginMustBeDomain(org)) return owners.find((owner) => owner.orgId === org.id);
  return owners.find((owner) => !loginMustBeDomain(store.orgs.get(owner.orgId)));
}

/** A name may not end in a domain that another org has proved to own. */
export function checkReservedDomain(store: Store, org: OrgRow, userName: string): void {
  const at = userName.lastIndexOf('@');
  if (at === -1 || loginMustBeDomain(org)) return;
  const owners = store.orgs.by('verified', userName.slice(at + 1).toLowerCase());
  if (owners.length > 0 && owners.every((owner) => owner.id !== org.id)) throw refusal('COMMAND-SFd21');
}

/** Who logs in with that name: a bare user name, or one with a domain of an org that asks for it. */
export function findByLoginName(store: Store, loginName: string): UserRow | undefined {
  const bare = store.users
    .by('name', nameKey(loginName))
    .find((user) => !loginMustBeDomain(store.orgs.get(user.orgId)));
  if (bare !== undefined) return bare;
  const at = loginName.lastIndexOf('@');
  if (at === -1) return undefined;
  const orgs = new Set(store.orgs.by('verified', loginName.slice(at + 1).toLowerCase()).map((org) => org.id));
  return store.users
    .by('name', nameKey(loginName.slice(0, at)))
    .find((user) => orgs.has(user.orgId) && loginMustBeDomain(store.orgs.get(user.orgId)));
}
