/** Finds the role keys at the target for each record. Runs on every thread. */
import { findMemberships, type MembershipMemory } from '../../compact/membership-table.ts';
import { countCharacters } from '../../lib/field-rules.ts';
import { memoized } from '../../lib/strings.ts';
import { onOneLine } from '../../records/text.ts';
import {
  deriveProjectGrantId,
  maxRoleKey,
  organizationRole,
  type RealmRoles,
} from '../../records/resource.ts';
import type { Note, AcceptedRecord } from '../../records/user.ts';
import type { RoleReader } from '../../sources/source.ts';
import { memberId } from '../orgs/choose-org.ts';

/** Can be cloned to threads. */
export interface RoleSettings {
  /** Id of the project that gets the roles. */
  readonly projectId: string;
  /** Organization of the project. */
  readonly owner: string;
  readonly realms: readonly RealmRoles[];
  readonly map: RoleMap;
  /** Role key of members of a further organization. Empty if such memberships are only named in the report. */
  readonly memberKey: string;
  /** Roles by user, from `--role-members`. */
  readonly members?: RoleMembers;
}

/** Keys at the target by keys of the source, which may end in `*`, from `--role-map`. An empty key leaves the role out. */
export type RoleMap = readonly (readonly [source: string, target: string])[];

interface RoleMembers {
  readonly memory: MembershipMemory;
  /** Keys by their index in the memory. */
  readonly keys: readonly string[];
}

interface ChosenRoles {
  /** Keys as the source and the map have them, so that two that are one at the target can still be told apart. */
  readonly keys: readonly string[];
  readonly notes: readonly Note[];
}

const none: ChosenRoles = { keys: [], notes: [] };
/** Most users share their roles with others. Limits the combinations kept in memory. */
const mostRemembered = 10_000;

export function createRoleChooser(
  settings: RoleSettings,
  reader: Pick<RoleReader, 'of' | 'kindOf'> | undefined,
) {
  const resolvers = new Map(settings.realms.map((roles) => [roles.realm, createResolver(roles)]));
  const only = resolvers.size === 1 ? [...resolvers.values()][0] : undefined;
  const rename = createRenamer(settings.map);
  const kindOf = (key: string, realm: string) => reader?.kindOf(key, realm) ?? 'own';
  const resolveAll = memoized((_, direct: readonly string[], realm: string): ChosenRoles => {
    const resolve = resolvers.get(realm) ?? only;
    const all = [...(resolve?.(direct) ?? direct)].filter((key) => kindOf(key, realm) === 'own');
    const renamed = [...new Set(all.map(rename))].filter((key) => onOneLine(key) !== '');
    const tooLong = renamed.filter(isTooLong);
    const builtIn = direct.filter((key) => kindOf(key, realm) === 'built in');
    const notes: Note[] = [];
    if (renamed.some((key) => key !== onOneLine(key)))
      notes.push({ code: 'field:cleaned', detail: 'key of a role' });
    if (builtIn.length > 0) notes.push({ code: 'role:built-in', detail: builtIn.join(', ') });
    if (tooLong.length > 0) notes.push({ code: 'role:too-long', detail: tooLong.join(', ') });
    return { keys: renamed.filter((key) => !isTooLong(key)).sort(), notes };
  }, mostRemembered);
  const choose = (keys: readonly string[], realm: string) => {
    const direct = [...new Set(keys)].sort();
    return direct.length === 0 ? none : resolveAll(JSON.stringify([realm, direct]), direct, realm);
  };
  return {
    /** Returns the roles in the user's home organization. `inOrg` are source roles in that organization. */
    atHome(raw: unknown, record: AcceptedRecord, realm: string, inOrg: readonly string[] = []): ChosenRoles {
      const own = [...(reader?.of(raw) ?? []), ...namedIn(record), ...findKeys(record, settings.members)];
      const chosen = choose([...own, ...inOrg.map(organizationRole)], realm);
      if (chosen.keys.length === 0 || record.id !== '') return chosen;
      return { keys: [], notes: [...chosen.notes, { code: 'role:no-id' }] };
    },
    /** Returns the roles in a further organization: those that the user has there, else that of a member. */
    inFurther(inOrg: readonly string[]): ChosenRoles {
      const { keys, notes } = choose(inOrg.map(organizationRole), '');
      return { keys: keys.length === 0 ? [settings.memberKey] : keys, notes };
    },
  };
}

/** Counts code points, as the service does. */
export const isTooLong = (key: string) => key.length > maxRoleKey && countCharacters(key) > maxRoleKey;

export type GrantEncoder = (userId: string, orgId: string, roleKeys: readonly string[]) => string;

/**
 * Returns a function that encodes elements of `userGrants`. Organizations other than the owner use the project's grant to them.
 */
export function createGrantEncoder({
  projectId,
  owner,
}: Pick<RoleSettings, 'projectId' | 'owner'>): GrantEncoder {
  const grantIds = new Map<string, string>();
  const grantIdOf = (orgId: string) => {
    const id = grantIds.get(orgId) ?? deriveProjectGrantId(projectId, orgId);
    grantIds.set(orgId, id);
    return id;
  };
  return (userId, orgId, roleKeys) => {
    const granted = orgId === owner ? {} : { projectGrantId: grantIdOf(orgId) };
    const keys = roleKeys.map((key) => onOneLine(key));
    return JSON.stringify({ userId, projectId, ...granted, roleKeys: keys });
  };
}

/** Returns a function that adds all included keys, however deep. Circular composites end. */
function createResolver({ includes }: RealmRoles): (direct: readonly string[]) => ReadonlySet<string> {
  const byKey = new Map(includes);
  return (direct) => {
    const found = new Set(direct);
    for (const key of found) for (const inner of byKey.get(key) ?? []) found.add(inner);
    return found;
  };
}

/** The longest matching pattern of the map wins. A key without a match stays as it is. */
export function createRenamer(map: RoleMap): (key: string) => string {
  const exact = new Map(map.filter(([source]) => !source.endsWith('*')));
  const patterns = map
    .filter(([source]) => source.endsWith('*'))
    .map(([source, target]) => [source.slice(0, -1), target] as const)
    .sort(([one], [other]) => other.length - one.length);
  return (key) => exact.get(key) ?? patterns.find(([start]) => key.startsWith(start))?.[1] ?? key;
}

/** Returns roles that the mapping of a table reads. */
const namedIn = (record: AcceptedRecord) =>
  record.kind === 'human' ? (record.roles ?? []).map((name) => `role:${name}`) : [];

const findKeys = ({ origin }: AcceptedRecord, members: RoleMembers | undefined) =>
  members === undefined
    ? []
    : findMemberships(members.memory, memberId(origin.id)).map((index) => members.keys[index]!);
