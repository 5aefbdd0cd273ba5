/** Users by id, by name and in order of creation. */
import type { UserRow } from './rows.ts';
import type { Change } from './table.ts';
import { createUserList, type UserList } from './user-list.ts';

export interface UserTable {
  readonly size: number;
  get(id: string): UserRow | undefined;
  has(id: string): boolean;
  /** Users of that name in all organizations; case does not matter. */
  allByName(userName: string): readonly UserRow[];
  /** A new user, or a changed one; `order` is given to a new one. */
  put(row: UserRow): UserRow;
  delete(id: string): UserRow | undefined;
  values(): Iterable<UserRow>;
  /** Users of one org, or of all. */
  list(orgId?: string): UserList<UserRow>;
  clear(): void;
}

export function createUserTable(tell: (change: Change) => void): UserTable {
  const rows = new Map<string, UserRow>();
  /** A name nearly always has one owner; only then is there a list. */
  const names = new Map<string, UserRow | UserRow[]>();
  const lists = new Map<string, UserList<UserRow>>();
  let allUsers = createUserList<UserRow>();
  let lastOrder = 0;

  const ownersOf = (name: string): readonly UserRow[] => {
    const found = names.get(name);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  };
  const setOwners = (name: string, owners: readonly UserRow[]): void => {
    if (owners.length === 0) names.delete(name);
    else names.set(name, owners.length === 1 ? owners[0]! : [...owners]);
  };
  const dropName = (row: UserRow): void => {
    const name = nameKey(row.userName);
    setOwners(
      name,
      ownersOf(name).filter((owner) => owner.id !== row.id),
    );
  };

  return {
    get size() {
      return rows.size;
    },
    get: (id) => rows.get(id),
    has: (id) => rows.has(id),
    allByName: (userName) => ownersOf(nameKey(userName)),
    put(row) {
      const before = rows.get(row.id);
      const kept = row.order === 0 ? { ...row, order: before?.order ?? lastOrder + 1 } : row;
      lastOrder = Math.max(lastOrder, kept.order);
      if (before !== undefined) dropName(before);
      const name = nameKey(kept.userName);
      if (names.has(name)) setOwners(name, [...ownersOf(name), kept]);
      else names.set(name, kept);
      rows.set(kept.id, kept);
      allUsers.put(kept);
      const list = lists.get(kept.orgId) ?? createUserList<UserRow>();
      lists.set(kept.orgId, list);
      list.put(kept);
      tell({ table: 'users', id: kept.id, row: kept });
      return kept;
    },
    delete(id) {
      const before = rows.get(id);
      if (before === undefined) return undefined;
      dropName(before);
      rows.delete(id);
      allUsers.remove(before);
      lists.get(before.orgId)?.remove(before);
      tell({ table: 'users', id, row: undefined });
      return before;
    },
    values: () => rows.values(),
    list: (orgId) => (orgId === undefined ? allUsers : (lists.get(orgId) ?? createUserList<UserRow>())),
    clear() {
      rows.clear();
      names.clear();
      lists.clear();
      allUsers = createUserList<UserRow>();
      lastOrder = 0;
    },
  };
}

/** Lower case as the service stores its unique names. */
export const nameKey = (userName: string): string => userName.toLowerCase();
