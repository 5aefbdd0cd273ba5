/**
 * The whole state of a server in memory: a table per kind, ids, and a listener for changes. What one store dumps,
 * another applies.
 */
import type { Clock } from '../../lib/clock.ts';
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
    /** The one instance, which a server has from the start. */
    get instance(): rows.InstanceRow {
      return tables.instances.get('instance')!;
    },
    now: () => clock.now(),
    nextId: createIds(clock),
    /** The place of a new user among all. */
    nextOrder: () => ++orders,
    /** There is one listener. */
    listen(next: Listener): void {
      listener = next;
    },
    *dump(): Generator<Change> {
      for (const [table, { values }] of Object.entries(byName))
        for (const row of values()) yield { table, id: row.id, row };
    },
    apply({ table, id, row }: Change): void {
      if (row === undefined) byName[table]!.delete(id);
      else byName[table]!.put(row as Row);
    },
    clear(): void {
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
    /** One row, id `instance`. */
    instances: table<rows.InstanceRow>('instances'),
    orgs: table<rows.OrgRow>('orgs', {
      name: (row) => row.name.toLowerCase(),
      verified: (row) =>
        row.domains.filter((domain) => domain.isVerified).map((domain) => domain.domainName.toLowerCase()),
    }),
    users: table<rows.UserRow>('users', {
      org,
      name: (row) => nameKey(row.userName),
      link: (row) => (row.more?.links ?? []).map(linkKey),
    }),
    /** Removed ones, which can still be read and written to; a row stays when the id is used again. */
    goneOrgs: table<rows.OrgRow>('goneOrgs'),
    /** Users of removed organizations: their ids stay taken, their names and links are free. */
    goneUsers: table<rows.UserRow>('goneUsers'),
    removed: table<rows.RemovedRow>('removed'),
    leftovers: table<rows.LeftoverRow>('leftovers'),
    projects: table<rows.ProjectRow>('projects', { org }),
    roles: table<rows.RoleRow>('roles', { org, project }),
    apps: table<rows.AppRow>('apps', { org, project }),
    appKeys: table<rows.AppKeyRow>('appKeys', { org, app: (row) => row.appId }),
    machineKeys: table<rows.MachineKeyRow>('machineKeys', { org, user }),
    scripts: table<rows.ScriptRow>('scripts', { org }),
    triggers: table<rows.TriggerRow>('triggers', { org }),
    projectGrants: table<rows.ProjectGrantRow>('projectGrants', { org, project }),
    userGrants: table<rows.UserGrantRow>('userGrants', { org, user, project }),
    members: table<rows.MemberRow>('members', { user, org, object: (row) => `${row.scope}/${row.objectId}` }),
    idps: table<rows.IdpRow>('idps', { org }),
    tokens: table<rows.TokenRow>('tokens', { user }),
    notifications: table<rows.NotificationRow>('notifications'),
    sessions: table<rows.SessionRow>('sessions'),
    targets: table<rows.TargetRow>('targets'),
    targetKeys: table<rows.TargetKeyRow>('targetKeys', { target: (row) => row.targetId }),
    executions: table<rows.ExecutionRow>('executions'),
    deletedTargets: table<rows.DeletedTargetRow>('deletedTargets'),
  };
}

/** Lower case as the service stores its unique names. */
export const nameKey = (userName: string): string => userName.toLowerCase();
export const linkKey = (link: rows.LinkRow): string => `${link.idpId}/${link.externalUserId}`;
export const memberId = (scope: string, objectId: string, userId: string): string =>
  `${scope}/${objectId}/${userId}`;

/** Users of one organization, or of all, oldest first. */
export const usersOf = ({ users }: Store, orgId: string | undefined): readonly rows.UserRow[] =>
  orgId === undefined ? users.list() : users.by('org', orgId);

/** Also a removed one. */
export const findOrg = ({ orgs, goneOrgs }: Store, id: string): rows.OrgRow | undefined =>
  orgs.get(id) ?? goneOrgs.get(id);

/** Also a user of a removed organization: the id stays taken. */
export const findById = ({ users, goneUsers }: Store, id: string): rows.UserRow | undefined =>
  users.get(id) ?? goneUsers.get(id);

const epoch = Date.UTC(2019, 0, 1);

/** Ids that fit into ten milliseconds; when that is not enough they run ahead of the clock. */
const perTick = 0x1_0000;

function createIds(clock: Clock): () => string {
  let last = 0;
  return () => {
    const now = Math.floor((clock.now() - epoch) / 10) * perTick;
    last = Math.max(now, last + 1);
    return `3${last.toString().padStart(17, '0')}`;
  };
}
