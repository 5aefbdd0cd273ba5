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
import { type LinkRow, type OrgRow, textKinds, type UserRow } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { showProfile, stateNames } from './users/show.ts';

export interface ExportedOrg {
  readonly org: DataOrgInput;
  /** Long lists by name. */
  readonly lists: Readonly<Record<'humanUsers' | 'userMetadata' | 'userLinks', Iterable<unknown>>> & {
    readonly machineUsers: Iterable<Input<typeof dataMachineUser>>;
  };
}

/** Yields the organizations. Grants and members that refer to other organizations are left out. */
export function* exportOrgs(store: Store, rows: readonly OrgRow[], secrets: Secrets): Generator<ExportedOrg> {
  const orgIds = new Set(rows.map(({ id }) => id));
  for (const row of rows) {
    const users = store.users.by('org', row.id);
    yield {
      org: {
        orgId: row.id,
        org: { name: row.name },
        orgState: row.active ? 'ORG_STATE_ACTIVE' : 'ORG_STATE_INACTIVE',
        ...exportPolicies(store, row, secrets),
        ...exportTexts(row, secrets),
        domains: row.domains.map((domain) => ({ orgId: row.id, ...domain })),
        ...exportResources(store, row.id),
        ...exportGrants(store, row.id, orgIds),
      },
      lists: {
        humanUsers: entriesOf(users, (user) => (user.kind === 'human' ? [exportHuman(user, secrets)] : [])),
        machineUsers: entriesOf(users, (user) =>
          user.kind === 'machine' ? [exportMachine(user, secrets)] : [],
        ),
        userMetadata: entriesOf(users, ({ id, more }) =>
          Object.entries(more?.metadata ?? {}).map(([key, { value }]) => ({ id, key, value })),
        ),
        userLinks: entriesOf(users, ({ id, more }) =>
          (more?.links ?? []).map((link) => showLink(store, id, link)),
        ),
      },
    };
  }
}

/** Yields the entries one by one, because a list of all of them would be too large. */
function* entriesOf<Entry>(
  users: readonly UserRow[],
  show: (user: UserRow) => readonly Entry[],
): Generator<Entry> {
  for (const user of users) yield* show(user);
}

/** Yields all organizations with all secrets, but without the `standard` users, which every server has from the start. */
export function* dumpOrgs(store: Store, standard: ReadonlySet<string>): Generator<ExportedOrg> {
  const isOther = ({ userId = '' }: { userId?: string | undefined }) => !standard.has(userId);
  const secrets = { withPasswords: true, withOtp: true, isDump: true };
  for (const { org, lists } of exportOrgs(store, store.orgs.list(), secrets)) {
    yield {
      org: { ...org, orgMembers: org.orgMembers?.filter(isOther) },
      lists: { ...lists, machineUsers: Array.from(lists.machineUsers).filter(isOther) },
    };
  }
}

/** Returns the custom policies. The theme is not exported, and a provider of another owner counts as the instance's. */
function exportPolicies(store: Store, row: OrgRow, { isDump }: Secrets): DataOrgInput {
  const { domainPolicy, labelPolicy, lockoutPolicy, loginPolicy, passwordComplexityPolicy, privacyPolicy } =
    row;
  return {
    domainPolicy: domainPolicy && { ...domainPolicy, orgId: row.id },
    labelPolicy: isDump
      ? labelPolicy
      : labelPolicy && { ...labelPolicy, themeMode: 'THEME_MODE_UNSPECIFIED' },
    lockoutPolicy,
    loginPolicy: loginPolicy && {
      ...loginPolicy,
      idps: loginPolicy.idps.map(({ idpId }) => ({
        idpId,
        ownerType: store.idps.get(idpId)?.orgId === row.id ? 'IDP_OWNER_TYPE_ORG' : 'IDP_OWNER_TYPE_SYSTEM',
      })),
    },
    passwordComplexityPolicy,
    privacyPolicy,
  };
}

/**
 * As in the service, texts of invitations are not exported, and texts of passkeys are replaced by those of claimed
 * domains.
 */
function exportTexts({ texts }: OrgRow, { isDump }: Secrets): DataOrgInput {
  const exported = textKinds.flatMap((name) => {
    if (texts[name] === undefined || (!isDump && name === 'inviteUserMessages')) return [];
    const isReplaced = !isDump && name === 'passwordlessRegistrationMessages';
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
    oidcIdps: idps.flatMap(({ id, oidc }) => (oidc === undefined ? [] : { idpId: id, idp: oidc })),
    jwtIdps: idps.flatMap(({ id, jwt }) => (jwt === undefined ? [] : { idpId: id, idp: jwt })),
    projects: projects.map(({ id, project }) => ({ projectId: id, project })),
    projectRoles: store.roles.by('org', orgId).map(({ role }) => role),
    oidcApps: apps.flatMap(({ id, oidc }) => (oidc === undefined ? [] : { appId: id, app: oidc })),
    apiApps: apps.flatMap(({ id, api }) => (api === undefined ? [] : { appId: id, app: api })),
    appKeys: store.appKeys.by('org', orgId).map(({ id, key }) => ({ ...key, id })),
    machineKeys: store.machineKeys.by('org', orgId).map(({ id, key }) => ({ ...key, keyId: id })),
    actions: store.scripts.by('org', orgId).map(({ id, action }) => ({ actionId: id, action })),
    triggerActions: store.triggers.by('org', orgId),
  };
}

function exportGrants(store: Store, orgId: string, orgIds: ReadonlySet<string>): DataOrgInput {
  const userIsThere = ({ userId }: { userId: string }) => orgIds.has(store.users.get(userId)?.orgId ?? '');
  const projectIsThere = ({ projectId }: { projectId: string }) =>
    orgIds.has(store.projects.get(projectId)?.orgId ?? '');
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
      .filter(projectIsThere)
      .map(({ projectId, objectId, userId, roles }) => ({ projectId, grantId: objectId, userId, roles })),
  };
}

interface Secrets {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  /** Whether what the service leaves out of its export is in this one, as far as an import takes it. */
  readonly isDump?: boolean;
}

/** Users in every state are exported. */
function exportHuman(user: UserRow, secrets: Secrets) {
  const { more } = user;
  return {
    userId: user.id,
    state: stateNames[user.status],
    user: {
      userName: user.userName,
      profile: { firstName: user.firstName, lastName: user.lastName, ...showProfile(user) },
      email: { email: user.email, isEmailVerified: user.emailVerified },
      phone: more?.phone ? { phone: more.phone, isPhoneVerified: more.phoneVerified } : undefined,
      hashedPassword:
        secrets.withPasswords && user.passwordHash !== '' ? { value: user.passwordHash } : undefined,
      otpCode: secrets.withOtp ? more?.otpSecret : undefined,
      recoveryCodes: secrets.isDump ? more?.recoveryCodes?.map((hash) => ({ hash })) : undefined,
    },
  };
}

/**
 * As in the service, only the outer object has the id, but an import reads the one inside `user`. So an imported
 * service user gets another id, and its keys, members and grants are refused.
 */
const exportMachine = (
  { id, status, userName, more }: UserRow,
  { isDump }: Secrets,
): Input<typeof dataMachineUser> => ({
  userId: id,
  state: stateNames[status],
  user: {
    userName,
    name: more?.name ?? '',
    description: more?.description ?? '',
    ...(isDump ? { userId: id, accessTokenType: more?.accessTokenType } : {}),
  },
});

export function showLink({ idps }: Store, userId: string, link: LinkRow): Input<typeof userLinkItem> {
  const idp = idps.get(link.idpId);
  const type = idp?.jwt === undefined ? 'IDP_TYPE_OIDC' : 'IDP_TYPE_JWT';
  return {
    userId,
    idpId: link.idpId,
    idpName: idp?.name ?? '',
    providedUserId: link.externalUserId,
    providedUserName: link.displayName,
    idpType: idp === undefined ? 'IDP_TYPE_UNSPECIFIED' : type,
  };
}

/** Length of a piece in characters. Other requests run between two pieces. */
const pieceLength = 256 * 1024;

/** Yields the text that a background import takes. Memory does not grow with the number of users. */
export async function* exportText(orgs: Iterable<ExportedOrg>): AsyncGenerator<string> {
  let piece = '{"orgs":[';
  let first = true;
  for (const { org, lists } of orgs) {
    const shell = JSON.stringify(encode(dataOrg, org));
    piece += `${first ? '' : ','}${shell.slice(0, -1)}`;
    first = false;
    for (const [name, entries] of Object.entries(lists)) {
      let separator = `,${JSON.stringify(name)}:[`;
      for (const entry of entries) {
        const [encoded] = encode(dataOrg, { [name]: [entry] })[name] as readonly unknown[];
        piece += separator + JSON.stringify(encoded);
        separator = ',';
        if (piece.length < pieceLength) continue;
        yield piece;
        piece = '';
        await setImmediate();
      }
      if (separator === ',') piece += ']';
    }
    piece += '}';
  }
  yield `${piece}]}\n`;
}

/** Returns the whole answer, or only its protobuf size if it is too large to send. */
export async function collectOrgs(orgs: Iterable<ExportedOrg>) {
  const collected: DataOrgInput[] = [];
  let total = 0;
  for (const { org, lists } of orgs) {
    const whole: Record<string, unknown> = { ...org };
    let size = orgSize(org);
    let walked = 0;
    for (const [name, entries] of Object.entries(lists)) {
      const kept: unknown[] = [];
      for (const entry of entries) {
        size += entrySize(name, entry);
        if (total + size <= responseLimit) kept.push(entry);
        if (++walked % 5000 === 0) await setImmediate();
      }
      whole[name] = kept;
    }
    total += lengthDelimited(1, size);
    if (total <= responseLimit) collected.push(whole);
  }
  return { orgs: total <= responseLimit ? collected : undefined, size: total };
}
