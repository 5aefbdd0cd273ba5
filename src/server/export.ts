/**
 * Organizations in the form of an export (small parts as values, long lists as iterables), its text in pieces, and its
 * size as protobuf.
 */
import { setImmediate } from 'node:timers/promises';
import { encode } from '../wire/codec.ts';
import { entrySize, lengthDelimited, orgSize, responseLimit } from '../wire/import-size.ts';
import type { Input } from '../wire/message.ts';
import { type dataMachineUser, dataOrg, type DataOrgInput } from '../wire/import.ts';
import type { userLinkItem } from '../wire/org-resources.ts';
import { answerTooLarge } from './limits/connection.ts';
import { type LinkRow, type OrgRow, textKinds, type UserRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { showHumanV1, stateNames } from './users/show.ts';

export interface ExportedOrg {
  readonly org: DataOrgInput;
  /** Entries of the long lists, list by list. */
  readonly entries: Iterable<readonly [list: string, entry: unknown]>;
}

interface ExportOptions {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  /**
   * Ids of the users that every server has from the start. Set for a dump, which leaves them out, and has what the
   * service leaves out as far as an import takes it.
   */
  readonly standard?: ReadonlySet<string>;
}

/** Yields the organizations. Grants and members that refer to other organizations are left out. */
export function* exportOrgs(
  store: Store,
  rows: readonly OrgRow[],
  options: ExportOptions,
): Generator<ExportedOrg> {
  const orgIds = new Set(rows.map(({ id }) => id));
  for (const row of rows) {
    yield {
      org: {
        ...row,
        org: { name: row.name },
        orgState: row.active ? 'ORG_STATE_ACTIVE' : 'ORG_STATE_INACTIVE',
        ...exportPolicies(store, row, options),
        ...exportTexts(row, options),
        domains: row.domains.map((domain) => ({ orgId: row.id, ...domain })),
        ...exportResources(store, row.id),
        ...exportGrants(store, row.id, orgIds, options),
      },
      entries: entriesOf(store, store.users.by('org', row.id), options),
    };
  }
}

/** Yields the entries one by one, because a list of all of them would be too large. */
function* entriesOf(store: Store, users: readonly UserRow[], options: ExportOptions) {
  for (const user of users) {
    if (user.kind === 'human') yield ['humanUsers', exportHuman(user, options)] as const;
  }
  for (const user of users) {
    if (user.kind === 'human' || options.standard?.has(user.id)) continue;
    yield ['machineUsers', exportMachine(user, options)] as const;
  }
  for (const { id, metadata = {} } of users) {
    for (const [key, { value }] of Object.entries(metadata)) {
      yield ['userMetadata', { id, key, value }] as const;
    }
  }
  for (const { id, links = [] } of users) {
    for (const link of links) yield ['userLinks', showLink(store, id, link)] as const;
  }
}

/** Returns the policies that are not exported as they are. A provider of another owner counts as the instance's. */
function exportPolicies(
  store: Store,
  { id, domainPolicy, labelPolicy, loginPolicy }: OrgRow,
  { standard }: ExportOptions,
): DataOrgInput {
  const theme = standard === undefined ? { themeMode: 'THEME_MODE_UNSPECIFIED' as const } : {};
  return {
    domainPolicy: domainPolicy && { ...domainPolicy, orgId: id },
    labelPolicy: labelPolicy && { ...labelPolicy, ...theme },
    loginPolicy: loginPolicy && {
      ...loginPolicy,
      idps: loginPolicy.idps.map(({ idpId }) => ({
        idpId,
        ownerType: store.idps.get(idpId)?.orgId === id ? 'IDP_OWNER_TYPE_ORG' : 'IDP_OWNER_TYPE_SYSTEM',
      })),
    },
  };
}

/**
 * As in the service, texts of invitations are not exported, and texts of passkeys are replaced by those of claimed
 * domains.
 */
function exportTexts({ texts }: OrgRow, { standard }: ExportOptions): DataOrgInput {
  const asService = standard === undefined;
  const exported = textKinds.flatMap((name) => {
    if (texts[name] === undefined || (asService && name === 'inviteUserMessages')) return [];
    const isReplaced = asService && name === 'passwordlessRegistrationMessages';
    return [[name, Object.values(texts[isReplaced ? 'domainClaimedMessages' : name] ?? {})]];
  });
  return Object.fromEntries(exported) as DataOrgInput;
}

function exportResources(store: Store, orgId: string): DataOrgInput {
  // The service's own project is left out, because its applications do not exist here.
  const projects = store.projects.by('org', orgId).filter(({ id }) => id !== store.instance.projectId);
  const apps = store.apps.by('org', orgId);
  const idps = store.idps.by('org', orgId);
  return {
    oidcIdps: idps.flatMap(({ id: idpId, oidc: idp }) => (idp ? { idpId, idp } : [])),
    jwtIdps: idps.flatMap(({ id: idpId, jwt: idp }) => (idp ? { idpId, idp } : [])),
    projects: projects.map(({ id, project }) => ({ projectId: id, project })),
    projectRoles: store.roles.by('org', orgId).map(({ role }) => role),
    oidcApps: apps.flatMap(({ id: appId, oidc: app }) => (app ? { appId, app } : [])),
    apiApps: apps.flatMap(({ id: appId, api: app }) => (app ? { appId, app } : [])),
    appKeys: store.appKeys.by('org', orgId).map(({ key }) => key),
    machineKeys: store.machineKeys.by('org', orgId).map(({ key }) => key),
    actions: store.scripts.by('org', orgId).map(({ id, action }) => ({ actionId: id, action })),
    triggerActions: store.triggers.by('org', orgId),
  };
}

function exportGrants(
  store: Store,
  orgId: string,
  orgIds: ReadonlySet<string>,
  { standard }: ExportOptions,
): DataOrgInput {
  const isThere = (owner = '') => orgIds.has(owner);
  const userIsThere = ({ userId }: { userId: string }) =>
    isThere(store.users.get(userId)?.orgId) && standard?.has(userId) !== true;
  const projectIsThere = ({ projectId }: { projectId: string }) =>
    isThere(store.projects.get(projectId)?.orgId);
  const members = store.members.by('org', orgId).filter(userIsThere);
  const ofScope = (scope: string) => members.filter((member) => member.scope === scope);
  return {
    projectGrants: store.projectGrants
      .by('org', orgId)
      .filter((grant) => projectIsThere(grant) && orgIds.has(grant.grantedOrgId))
      .map((projectGrant) => ({ grantId: projectGrant.id, projectGrant })),
    userGrants: store.userGrants
      .by('org', orgId)
      .filter((grant) => userIsThere(grant) && projectIsThere(grant)),
    orgMembers: ofScope('org'),
    // The service repeats project members in every organization.
    projectMembers: store.members
      .list()
      .filter((member) => member.scope === 'project' && userIsThere(member) && projectIsThere(member))
      .map(({ objectId, userId, roles }) => ({ projectId: objectId, userId, roles })),
    projectGrantMembers: ofScope('project-grant')
      .filter(
        (member) => projectIsThere(member) && isThere(store.projectGrants.get(member.objectId)?.grantedOrgId),
      )
      .map(({ projectId, objectId, userId, roles }) => ({ projectId, grantId: objectId, userId, roles })),
  };
}

/** Users in every state are exported. */
function exportHuman(user: UserRow, { withPasswords, withOtp, standard }: ExportOptions) {
  const { phone, ...human } = showHumanV1(user);
  return {
    userId: user.id,
    state: stateNames[user.status],
    user: {
      userName: user.userName,
      ...human,
      phone: user.phone && phone,
      hashedPassword: withPasswords && user.passwordHash !== '' ? { value: user.passwordHash } : undefined,
      otpCode: withOtp ? user.otpSecret : undefined,
      recoveryCodes: standard && user.recoveryCodes?.map((hash) => ({ hash })),
    },
  };
}

/**
 * As in the service, only the outer object has the id, but an import reads the one inside `user`. So an imported
 * service user gets another id, and its keys, members and grants are refused.
 */
const exportMachine = (
  { id, status, userName, name, description, accessTokenType }: UserRow,
  { standard }: ExportOptions,
): Input<typeof dataMachineUser> => ({
  userId: id,
  state: stateNames[status],
  user: {
    userName,
    name,
    description,
    ...(standard && { userId: id, accessTokenType }),
  },
});

export function showLink({ idps }: Store, userId: string, link: LinkRow): Input<typeof userLinkItem> {
  const idp = idps.get(link.idpId);
  const isOidc = idp?.oidc !== undefined || idp?.template?.kind === 'generic_oidc';
  const type = isOidc ? 'IDP_TYPE_OIDC' : 'IDP_TYPE_UNSPECIFIED';
  return {
    userId,
    idpId: link.idpId,
    idpName: idp?.name ?? '',
    providedUserId: link.externalUserId,
    providedUserName: link.displayName,
    idpType: idp?.jwt === undefined ? type : 'IDP_TYPE_JWT',
  };
}

/** Length of a piece in characters. Other requests run between two pieces. */
const pieceLength = 256 * 1024;

/** Yields the text that a background import takes. Memory does not grow with the number of users. */
export async function* exportText(orgs: Iterable<ExportedOrg>) {
  let piece = '{"orgs":[';
  let separator = '';
  for (const { org, entries } of orgs) {
    piece += separator + JSON.stringify(encode(dataOrg, org)).slice(0, -1);
    separator = ',';
    /** Name of the list that is being written. */
    let open = '';
    for (const [list, entry] of entries) {
      const [encoded] = encode(dataOrg, { [list]: [entry] })[list] as readonly unknown[];
      piece += list === open ? ',' : `${open && ']'},"${list}":[`;
      piece += JSON.stringify(encoded);
      open = list;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
      await setImmediate();
    }
    piece += `${open && ']'}}`;
  }
  yield `${piece}]}\n`;
}

/** Returns the whole answer. Throws if it is too large to send, with its size, without having kept it in memory. */
export async function collectOrgs(orgs: Iterable<ExportedOrg>) {
  const collected: DataOrgInput[] = [];
  let total = 0;
  for (const { org, entries } of orgs) {
    const lists: Record<string, unknown[]> = {};
    let size = orgSize(org);
    let walked = 0;
    for (const [list, entry] of entries) {
      size += entrySize(list, entry);
      if (total + size <= responseLimit) (lists[list] ??= []).push(entry);
      if (++walked % 5000 === 0) await setImmediate();
    }
    total += lengthDelimited(1, size);
    if (total <= responseLimit) collected.push({ ...org, ...lists });
  }
  if (total > responseLimit) throw answerTooLarge(total);
  return collected;
}
