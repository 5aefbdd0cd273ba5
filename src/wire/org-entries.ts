/**
 * The parts of an organization in an import body, in the order in which the service processes them, with the names that
 * its report has for each entry. A body can be split between any two entries in this order.
 */

type Entry = Readonly<Record<string, unknown>>;

interface EntryKind {
  /** Of a list; or of one of the two groups in which all other members are sent, before and after the providers. */
  readonly name: string;
  /** For a group: its members in lowerCamelCase. Lists have none. */
  readonly members?: readonly string[];
  /** `type` of the report's errors about such an entry. */
  readonly types: readonly string[];
  /** `id` of the report's errors; `entry` is decoded, `orgId` that of its organization. */
  readonly idOf: (entry: Entry, orgId: string) => string;
}

const part = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const joined = (...parts: unknown[]) => parts.map(part).join('_');
const field =
  (name: string) =>
  (entry: Entry): string =>
    part(entry[name]);

const group = (name: string, members: readonly string[], types: readonly string[]): EntryKind => ({
  name,
  members,
  types,
  idOf: (_, orgId) => orgId,
});
const list = (name: string, types: string | readonly string[], idOf: EntryKind['idOf']): EntryKind => ({
  name,
  types: typeof types === 'string' ? [types] : types,
  idOf,
});
const texts = (name: string, type: string): EntryKind =>
  list(name, type, ({ language }, orgId) => joined(orgId, language));

/** `Z:internal/api/grpc/admin/import.go`, the three passes one after the other. */
export const entryKinds: readonly EntryKind[] = [
  group('org', ['org', 'orgState', 'domainPolicy', 'iamPolicy'], ['org', 'domain_policy']),
  list('domains', ['domain', 'domain_isverified', 'domain_isprimary'], ({ domainName }, orgId) =>
    joined(orgId, domainName),
  ),
  list('oidcIdps', 'oidc_idp', field('idpId')),
  list('jwtIdps', 'jwt_idp', field('idpId')),
  group(
    'policies',
    [
      'labelPolicy',
      'lockoutPolicy',
      'loginPolicy',
      'passwordComplexityPolicy',
      'privacyPolicy',
      // The first form has these next to the login policy, and they count only together with it.
      'secondFactors',
      'multiFactors',
      'idps',
    ],
    ['label_policy', 'lockout_policy', 'login_policy', 'password_complexity_policy', 'privacy_policy'],
  ),
  texts('loginTexts', 'login_texts'),
  texts('initMessages', 'init_message'),
  texts('passwordResetMessages', 'password_reset_message'),
  texts('verifyEmailMessages', 'verify_email_message'),
  texts('verifyPhoneMessages', 'verify_phone_message'),
  texts('verifySmsOtpMessages', 'verify_sms_otp_message'),
  texts('verifyEmailOtpMessages', 'verify_email_otp_message'),
  texts('domainClaimedMessages', 'domain_claimed_message'),
  texts('passwordlessRegistrationMessages', 'passwordless_registration_message'),
  texts('inviteUserMessages', 'invite_user_messages'),
  list('humanUsers', 'human_user', field('userId')),
  list('machineUsers', 'machine_user', field('userId')),
  list('userMetadata', 'user_metadata', ({ id, key }) => joined(id, key)),
  list('machineKeys', 'machine_user_key', field('keyId')),
  list('userLinks', 'user_link', ({ userId, idpId }) => joined(userId, idpId)),
  list('projects', 'project', field('projectId')),
  list('oidcApps', 'oidc_app', field('appId')),
  list('apiApps', 'api_app', field('appId')),
  list('appKeys', 'app_key', field('id')),
  list('actions', 'action', field('actionId')),
  list('projectRoles', 'project_role', ({ projectId, roleKey }) => joined(projectId, roleKey)),
  list('triggerActions', 'trigger_action', ({ flowType, triggerType }) => joined(flowType, triggerType)),
  list('projectGrants', 'project_grant', (entry, orgId) => {
    const { projectId, grantedOrgId } = (entry['projectGrant'] ?? {}) as Entry;
    return joined(orgId, projectId, grantedOrgId);
  }),
  list('userGrants', 'user_grant', ({ projectId, userId }, orgId) => joined(orgId, projectId, userId)),
  list('orgMembers', 'org_member', ({ userId }, orgId) => joined(orgId, userId)),
  list('projectGrantMembers', 'project_grant_member', ({ projectId, grantId, userId }, orgId) =>
    joined(orgId, projectId, grantId, userId),
  ),
  list('projectMembers', 'project_member', ({ projectId, userId }, orgId) =>
    joined(orgId, projectId, userId),
  ),
];

export const kindOf = (name: string): EntryKind => {
  const kind = entryKinds.find((kind) => kind.name === name);
  if (kind === undefined) throw new TypeError(`no entry of an organization: ${name}`);
  return kind;
};

/** The lists of users and service accounts, which a run counts. */
export const userLists: readonly string[] = ['humanUsers', 'machineUsers'];

/** The lists whose entries belong to one user each, by id. */
export const ownedLists: readonly string[] = [
  'userMetadata',
  'machineKeys',
  'userLinks',
  'userGrants',
  'orgMembers',
  'projectGrantMembers',
  'projectMembers',
];

/** Lists that an import can leave out: what CreateUser takes itself, and what refers to existing users. */
export type BodyPart = 'users' | 'members';
const withUsers = [...userLists, 'userMetadata', 'userLinks'];
export const bodyParts: Readonly<Record<BodyPart, readonly string[]>> = {
  users: withUsers,
  members: ownedLists.filter((list) => !withUsers.includes(list)),
};

/**
 * Texts are written to the organization that the request names in its header, not to the one that the body names
 * (`Z:internal/api/grpc/admin/import.go`): so they go in requests of their own, one organization each.
 */
export const textLists: readonly string[] = entryKinds
  .map(({ name }) => name)
  .filter((name) => name === 'loginTexts' || name.endsWith('Messages'));

/** Members that only the first form has. */
export const firstFormMembers: readonly string[] = ['iamPolicy', 'secondFactors', 'multiFactors', 'idps'];
