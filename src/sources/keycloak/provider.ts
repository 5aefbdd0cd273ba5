/** Keycloak as a provider: which files of a folder belong to an export, and how they are read. */
import { UsageError } from '../../errors.ts';
import { readFlags } from '../../lib/flag.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Provider } from '../source.ts';
import { openLiveRealms } from './live.ts';
import { kindOfRole, readRecordParts, readRoleKeys } from './memberships.ts';
import { readOrganizations } from './organizations.ts';
import { readRealmApps, readRealmIdps, readRealmParts, readRealmRoles } from './realm-parts.ts';
import { keycloakFlags, type KeycloakFlags } from './entry.ts';
import { type KeycloakContext, type KeycloakOptions, severalRealms, unknownRealm } from './options.ts';
import { createReader } from './read.ts';
import { scanInputs } from './scan.ts';

/**
 * Files that `kc.sh export --dir` writes: `<realm>-realm.json`, `<realm>-users-<n>.json`,
 * `<realm>-federated-users-<n>.json`.
 */
const fileNames =
  /^(?<realm>.+?)-(?:(?<half>realm)|(?<kind>users|federated-users)-(?<number>\d+))\.json(?:\.gz)?$/;

export const keycloak: Provider<KeycloakOptions, KeycloakContext> = {
  readOptions(flags: KeycloakFlags, { user, plaintext, pbkdf2Encoding }) {
    const { orgBy, roles } = flags;
    const organizations = { allRealms: orgBy === 'realm', carriesMembers: orgBy === 'organization' };
    const carried = { ...organizations, ...(roles !== undefined && { carriesRoles: true }) };
    const { realmName, phoneAttribute, ...rules } = readFlags(keycloakFlags, { ...flags });
    const own = { realmName, phoneAttribute, ...rules, plaintext, ...carried };
    return { ...user, ...own, pbkdf2Encoding };
  },
  choose(folder, names, { realmName, allRealms }) {
    const groups = groupFiles(names);
    const realms = [...groups.keys()];
    if (realmName !== undefined && !groups.has(realmName)) throw unknownRealm(folder, realms, realmName);
    const withUsers = realms.filter((realm) => groups.get(realm)?.some(({ kind }) => kind !== 'realm'));
    const candidates = withUsers.length === 0 ? realms : withUsers;
    const chosen = realmName === undefined ? candidates : [realmName];
    if (chosen.length > 1 && !allRealms) throw severalRealms(folder, chosen);
    if (chosen.length === 0) {
      throw new UsageError(
        `${folder} has no export of Keycloak in it`,
        'Expected <realm>-realm.json and <realm>-users-<n>.json, as `kc.sh export --dir` writes them. A file of another name is read if you name the file itself.',
      );
    }
    return chosen.flatMap((realm) => groups.get(realm)!.map(({ name }) => name));
  },
  strayFiles: (names) => names.filter((name) => /\.json(?:\.gz)?$/i.test(name) && !fileNames.test(name)),
  companionFiles: (name, siblings) =>
    filesBeside(name, 'realm', siblings).flatMap((other) => (other.kind === 'realm' ? [] : other.name)),
  otherPages: (name, siblings) =>
    filesBeside(name, 'users', siblings).flatMap((other) =>
      other.kind === 'users' && other.name !== name ? other.name : [],
    ),
  scan: scanInputs,
  openDatabase: openLiveRealms,
  reader: createReader,
  parts: readRealmParts,
  apps: readRealmApps,
  idps: readRealmIdps,
  organizations: readOrganizations,
  partsOf: readRecordParts,
  roles: {
    read: readRealmRoles,
    of: readRoleKeys,
    kindOf: kindOfRole,
  },
};

/** Returns what a file name says, or undefined if `kc.sh` does not write such names. */
function parseFileName(name: string) {
  const groups = fileNames.exec(name)?.groups;
  if (groups === undefined) return undefined;
  return {
    name,
    realm: groups['realm'] ?? '',
    kind: (groups['half'] === undefined ? groups['kind'] : 'realm') as keyof typeof order,
    number: Number(groups['number'] ?? -1),
  };
}

const order = { realm: 0, users: 1, 'federated-users': 2 } as const;

/** Those of the same realm; none where `name` is of another kind. */
function filesBeside(name: string, kind: keyof typeof order, siblings: readonly string[]) {
  const file = parseFileName(name);
  return file?.kind === kind ? (groupFiles(siblings).get(file.realm) ?? []) : [];
}

/**
 * Groups the files of an export by realm. Within a realm, the realm file comes first, then users by number (9 before
 * 10). The users of a realm `x-federated` have the file name of the federated users of `x`.
 */
function groupFiles(names: readonly string[]) {
  const files = names.flatMap((name) => parseFileName(name) ?? []);
  const groups = groupBy(files, ({ kind, realm }) =>
    kind === 'federated-users' && names.includes(`${realm}-federated-realm.json`)
      ? `${realm}-federated`
      : realm,
  );
  for (const group of groups.values()) {
    group.sort((a, b) => order[a.kind] - order[b.kind] || a.number - b.number);
  }
  return groups;
}
