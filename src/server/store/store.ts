/**
 * The whole state of a server in memory: tables, ids and a listener for changes. One store can apply what another
 * dumps. Also the store as lists see it: in an earlier state, because the service's lists lag behind writes and lose
 * some.
 */
import type { Clock } from '../../lib/clock.ts';
import { lowerCase } from '../../lib/strings.ts';
import type * as rows from './rows.ts';
import { createTable, type Change, type Listener, type Indexes, type Row, type Table } from './table.ts';

export type Store = ReturnType<typeof createStore>;

export function createStore(clock: Clock) {
  let listener: Listener | undefined;
  const tables = createTables((change) => listener?.(change));
  const byName: Readonly<Record<string, Table<Row>>> = tables;
  let orders = 0;
  return {
    ...tables,
    /** The instance, which a server has from the start. */
    get instance(): rows.InstanceRow {
      return tables.instances.get('instance')!;
    },
    now: () => clock.now(),
    nextId: createIds(clock),
    /** Returns the position of a new user among all users. */
    nextOrder: () => ++orders,
    /** Sets the listener. There is only one. */
    listen(next: Listener) {
      listener = next;
    },
    *dump() {
      for (const [table, { values }] of Object.entries(byName))
        for (const row of values()) yield { table, id: row.id, row };
    },
    apply({ table, id, row }: Change) {
      if (row === undefined) byName[table]!.delete(id);
      else byName[table]!.put(row as Row);
    },
    clear() {
      for (const table of Object.values(byName)) table.clear();
    },
  };
}

function createTables(tell: Listener) {
  const table = <R extends Row>(name: string, indexes: Indexes<R> = {}) =>
    createTable<R>(name, tell, indexes);
  const org = (row: { orgId: string }) => row.orgId;
  const project = (row: { projectId: string }) => row.projectId;
  const user = (row: { userId: string }) => row.userId;
  return {
    /** Has one row, with id `instance`. */
    instances: table<rows.InstanceRow>('instances'),
    orgs: table<rows.OrgRow>('orgs', {
      name: (row) => lowerCase(row.name),
      verified: (row) =>
        row.domains.filter((domain) => domain.isVerified).map((domain) => domain.domainName.toLowerCase()),
    }),
    users: table<rows.UserRow>('users', {
      org,
      name: (row) => lowerCase(row.userName),
      link: (row) => (row.links ?? []).map(linkKey),
    }),
    /** Removed organizations, which can still be read and written. A row stays even if its id is used again. */
    goneOrgs: table<rows.OrgRow>('goneOrgs'),
    /** Users of removed organizations. Their ids stay taken; their names and links are free. */
    goneUsers: table<rows.UserRow>('goneUsers'),
    removed: table<rows.RemovedRow>('removed'),
    /** Ids that stay taken after a removal: `role/projectId/key`, with the key in lower case, or `app/appId`. */
    leftovers: table<Row>('leftovers'),
    projects: table<rows.ProjectRow>('projects', { org }),
    roles: table<rows.RoleRow>('roles', { org, project }),
    apps: table<rows.AppRow>('apps', { org, project }),
    appKeys: table<rows.AppKeyRow>('appKeys', { org, app: (row) => row.appId }),
    machineKeys: table<rows.MachineKeyRow>('machineKeys', { org, user }),
    scripts: table<rows.ScriptRow>('scripts', { org }),
    triggers: table<rows.TriggerRow>('triggers', { org }),
    projectGrants: table<rows.ProjectGrantRow>('projectGrants', { org, project }),
    userGrants: table<rows.UserGrantRow>('userGrants', { org, user, project }),
    members: table<rows.MemberRow>('members', {
      user,
      org,
      object: (row) => `${row.scope}/${row.objectId}`,
      project: (row) => (row.scope === 'project' ? row.objectId : []),
    }),
    idps: table<rows.IdpRow>('idps', { org }),
    tokens: table<rows.TokenRow>('tokens', { user }),
    sessions: table<rows.SessionRow>('sessions'),
    targets: table<rows.TargetRow>('targets'),
    targetKeys: table<rows.TargetKeyRow>('targetKeys', { target: (row) => row.targetId }),
    executions: table<rows.ExecutionRow>('executions'),
    deletedTargets: table<rows.DeletedTargetRow>('deletedTargets'),
  };
}

export const linkKey = (link: rows.LinkRow) => `${link.idpId}/${link.externalUserId}`;
export const memberId = (scope: string, objectId: string, userId: string) => `${scope}/${objectId}/${userId}`;

/** Returns the users of one organization, or all users, oldest first. */
export const usersOf = ({ users }: Store, orgId: string | undefined) =>
  orgId === undefined ? users.list() : users.by('org', orgId);

/** Returns an organization, even a removed one. */
export const findOrg = ({ orgs, goneOrgs }: Store, id: string) => orgs.get(id) ?? goneOrgs.get(id);

/** Returns a user, even of a removed organization, since its id stays taken. */
export const findById = ({ users, goneUsers }: Store, id: string) => users.get(id) ?? goneUsers.get(id);

const epoch = Date.UTC(2019, 0, 1);

/** Ids per ten milliseconds. If more are needed, they run ahead of the clock. */
const perTick = 0x1_0000;

function createIds(clock: Clock) {
  let last = 0;
  return () => {
    const now = Math.floor((clock.now() - epoch) / 10) * perTick;
    last = Math.max(now, last + 1);
    return `3${last.toString().padStart(17, '0')}`;
  };
}

/** Name under which `upTo` knows the lists of metadata and links. Their events do not touch the list of users. */
export const relatedLists = 'metadata and links';

export type ListView = ReturnType<typeof createListView>;

/** Creates the view that lists read. `lag` is in milliseconds; with 0, lists are always up to date. */
export function createListView(store: Store, clock: Clock, lag: number) {
  let start = clock.now();
  const lastChange = new Map<string, number>();
  const lost = new Set<string>();
  let toLose = 0;
  /** Undefined while lists are up to date and complete. */
  let shown = lag === 0 ? undefined : createStore(clock);
  let waiting: { readonly at: number; readonly change: Change }[] = [];

  const apply = (change: Change, at: number) => {
    const { table, id, row } = change;
    const isUser = table === 'users';
    if (isUser) lastChange.set(relatedLists, at);
    const { changed, created = at } = (isUser && row !== undefined ? row : {}) as Partial<rows.UserRow>;
    lastChange.set(table, Math.max(changed ?? created, lastChange.get(table) ?? start));
    if (!isUser || !lost.has(id)) shown?.apply(change);
  };
  const read = (): Store => {
    const until = clock.now() - lag;
    const first = waiting.findIndex(({ at }) => at > until);
    const due = first === -1 ? waiting.splice(0) : waiting.splice(0, first);
    for (const { at, change } of due) apply(change, at);
    return shown ?? store;
  };
  const copy = () => {
    for (const change of store.dump()) shown?.apply(change);
  };
  return {
    /** Returns the store that a list reads now. Look-ups by id read the real one. */
    read,
    /** Looks up a user by id without lag. For a user that the lists have lost, it reads the list. */
    user: (id: string) => findById(lost.has(id) ? read() : store, id),
    /** Returns the time of the last change of a table that `read` shows, in milliseconds since 1970. */
    upTo(table: string) {
      read();
      return lastChange.get(table) ?? start;
    },
    /** Receives every change of the store. */
    onChange(change: Change) {
      const { table, id, row } = change;
      // Only creations and deletions are lost, not other events of users that lists already have.
      const isKnown = () => read().users.has(id) || waiting.some((each) => each.change.id === id);
      if (toLose > 0 && table === 'users' && !lost.has(id) && (row === undefined || !isKnown())) {
        toLose -= 1;
        lost.add(id);
      }
      if (lag === 0) return apply(change, clock.now());
      waiting.push({ at: clock.now(), change });
      // Due changes are applied even if no call reads a list.
      if (waiting.length % 1000 === 0) read();
    },
    /** Shows the store as it is now, after a start, a seed or a reset. */
    catchUp() {
      start = clock.now();
      lastChange.clear();
      lost.clear();
      toLose = 0;
      waiting = [];
      shown?.clear();
      copy();
    },
    /**
     * Loses the events of the next `users` users that are created or deleted. No list ever shows these events, or later
     * changes of these users.
     */
    lose(users: number) {
      toLose = users;
      if (shown !== undefined) return;
      shown = createStore(clock);
      copy();
    },
  };
}
