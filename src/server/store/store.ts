/**
 * The whole state of a server in memory: a table per kind, ids, and a listener for changes. What one store dumps,
 * another applies.
 */
import type { Clock } from '../../lib/clock.ts';
import type {
  AppKeyRow,
  AppRow,
  IdpRow,
  InstanceRow,
  LeftoverRow,
  MachineKeyRow,
  NotificationRow,
  MemberRow,
  OrgRow,
  ProjectGrantRow,
  ProjectRow,
  RemovedRow,
  RoleRow,
  ScriptRow,
  TokenRow,
  TriggerRow,
  UserGrantRow,
  UserRow,
} from './rows.ts';
import { createTable, type Change, type Indexes, type Row, type Table } from './table.ts';
import { createUserTable, type UserTable } from './user-table.ts';

export interface Store {
  /** One row, id `instance`. */
  readonly instances: Table<InstanceRow>;
  /** Indexes `name` (lower case), `domain` (every one), `verified` (domains that are). */
  readonly orgs: Table<OrgRow>;
  readonly users: UserTable;
  /** Removed ones, which can still be read and written to; a row stays when the id is used again. */
  readonly goneOrgs: Table<OrgRow>;
  /** Users of removed organizations: their ids stay taken, their names and links are free. */
  readonly goneUsers: Table<UserRow>;
  readonly removed: Table<RemovedRow>;
  readonly leftovers: Table<LeftoverRow>;
  /** Index `org`. */
  readonly projects: Table<ProjectRow>;
  /** Indexes `org`, `project`. */
  readonly roles: Table<RoleRow>;
  /** Indexes `org`, `project`. */
  readonly apps: Table<AppRow>;
  /** Indexes `org`, `app`. */
  readonly appKeys: Table<AppKeyRow>;
  /** Indexes `org`, `user`. */
  readonly machineKeys: Table<MachineKeyRow>;
  /** Index `org`. */
  readonly scripts: Table<ScriptRow>;
  /** Index `org`. */
  readonly triggers: Table<TriggerRow>;
  /** Indexes `org`, `project`, `granted`. */
  readonly projectGrants: Table<ProjectGrantRow>;
  /** Indexes `org`, `user`, `project`. */
  readonly userGrants: Table<UserGrantRow>;
  /** Indexes `user`, `object` (`scope/objectId`), `org`. */
  readonly members: Table<MemberRow>;
  /** Index `org`. */
  readonly idps: Table<IdpRow>;
  /** Index `user`. */
  readonly tokens: Table<TokenRow>;
  /** Index `user`. */
  readonly notifications: Table<NotificationRow>;
  /** Owner of a link by `idpId/externalUserId`. */
  readonly links: Map<string, string>;
  /** The one instance. */
  readonly instance: InstanceRow;
  nextId(): string;
  /** A table of a kind that this file does not name; made once, part of dump, apply and reset. */
  table<R extends Row>(name: string, indexes?: Indexes<R>): Table<R>;
  /** One listener; undefined for none. Not called by `apply`. */
  listen(listener: ((change: Change) => void) | undefined): void;
  dump(): Iterable<Change>;
  apply(change: Change): void;
  clear(): void;
}

export function createStore(clock: Clock): Store {
  let listener: ((change: Change) => void) | undefined;
  const tell = (change: Change): void => listener?.(change);
  const tables = new Map<string, Table<Row>>();
  const table = <R extends Row>(name: string, indexes: Indexes<R> = {}): Table<R> => {
    const known = tables.get(name);
    if (known !== undefined) return known as unknown as Table<R>;
    const made = createTable<R>(name, tell, indexes);
    tables.set(name, made);
    return made;
  };
  const org = (row: { orgId: string }): string => row.orgId;
  const project = (row: { projectId: string }): string => row.projectId;
  const user = (row: { userId: string }): string => row.userId;
  const links = new Map<string, string>();
  const users = createUserTable((change) => tell(change));
  const instances = table<InstanceRow>('instances');

  const store: Store = {
    instances,
    orgs: table<OrgRow>('orgs', {
      name: (row) => row.name.toLowerCase(),
      domain: (row) => row.domains.map((domain) => domain.domainName.toLowerCase()),
      verified: (row) =>
        row.domains.filter((domain) => domain.isVerified).map((domain) => domain.domainName.toLowerCase()),
    }),
    users: withLinks(users, links),
    goneOrgs: table<OrgRow>('goneOrgs'),
    goneUsers: table<UserRow>('goneUsers'),
    removed: table<RemovedRow>('removed'),
    leftovers: table<LeftoverRow>('leftovers'),
    projects: table<ProjectRow>('projects', { org }),
    roles: table<RoleRow>('roles', { org, project }),
    apps: table<AppRow>('apps', { org, project }),
    appKeys: table<AppKeyRow>('appKeys', { org, app: (row) => row.appId }),
    machineKeys: table<MachineKeyRow>('machineKeys', { org, user }),
    scripts: table<ScriptRow>('scripts', { org }),
    triggers: table<TriggerRow>('triggers', { org }),
    projectGrants: table<ProjectGrantRow>('projectGrants', {
      org,
      project,
      granted: (row) => row.grantedOrgId,
    }),
    userGrants: table<UserGrantRow>('userGrants', { org, user, project }),
    members: table<MemberRow>('members', { user, org, object: (row) => `${row.scope}/${row.objectId}` }),
    idps: table<IdpRow>('idps', { org }),
    tokens: table<TokenRow>('tokens', { user }),
    notifications: table<NotificationRow>('notifications'),
    links,
    get instance() {
      const row = instances.get('instance');
      if (row === undefined) throw new TypeError('the store has no instance yet');
      return row;
    },
    nextId: createIds(clock),
    table,
    listen(next) {
      listener = next;
    },
    *dump() {
      for (const [name, rows] of tables)
        for (const row of rows.values()) yield { table: name, id: row.id, row };
      for (const row of users.values()) yield { table: 'users', id: row.id, row };
    },
    apply(change) {
      const before = listener;
      listener = undefined;
      try {
        applyTo(change, store, table);
      } finally {
        listener = before;
      }
    },
    clear() {
      for (const rows of tables.values()) rows.clear();
      store.users.clear();
    },
  };
  return store;
}

function applyTo(change: Change, store: Store, table: (name: string) => Table<Row>): void {
  if (change.table === 'users') {
    if (change.row === undefined) store.users.delete(change.id);
    else store.users.put(change.row as UserRow);
    return;
  }
  const rows = table(change.table);
  if (change.row === undefined) rows.delete(change.id);
  else rows.put(change.row as Row);
}

/** Keeps the index of links beside the users who have them. */
function withLinks(users: UserTable, links: Map<string, string>): UserTable {
  const drop = (row: UserRow | undefined): void => {
    for (const link of row?.more?.links ?? []) links.delete(linkKey(link.idpId, link.externalUserId));
  };
  return {
    ...users,
    get size() {
      return users.size;
    },
    put(row) {
      drop(users.get(row.id));
      for (const link of row.more?.links ?? []) links.set(linkKey(link.idpId, link.externalUserId), row.id);
      return users.put(row);
    },
    delete(id) {
      drop(users.get(id));
      return users.delete(id);
    },
    clear() {
      links.clear();
      users.clear();
    },
  };
}

export const linkKey = (idpId: string, externalUserId: string): string => `${idpId}/${externalUserId}`;
export const memberId = (scope: string, objectId: string, userId: string): string =>
  `${scope}/${objectId}/${userId}`;

const epoch = Date.UTC(2019, 0, 1);

/** Ids that fit into ten milliseconds; when that is not enough they run ahead of the clock. */
const perTick = 0x1_0000;

export function createIds(clock: Clock): () => string {
  let last = 0;
  return () => {
    const now = Math.floor((clock.now() - epoch) / 10) * perTick;
    last = Math.max(now, last + 1);
    return `3${last.toString().padStart(17, '0')}`;
  };
}
