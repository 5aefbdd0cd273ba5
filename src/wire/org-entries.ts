/**
 * The parts of an organization in an import body, in the order in which the service processes them, with their names in its
 * report. A body can be split between any two entries in this order.
 */
import { type JsonObject, objectOf } from '../lib/json-value.ts';

interface EntryKind {
  /** Name of a list, or of one of the two groups of all other members, which are sent before and after the providers. */
  readonly name: string;
  /** Members of a group in lowerCamelCase. Lists have none. */
  readonly members?: readonly string[];
  /** `type` of errors about such an entry in the report. */
  readonly types: readonly string[];
  /** Returns the `id` of errors in the report. `entry` is decoded; `orgId` is the id of its organization. */
  readonly idOf: (entry: JsonObject, orgId: string) => string;
}

const joined = (...parts: unknown[]) =>
  parts.map((part) => (typeof part === 'string' || typeof part === 'number' ? String(part) : '')).join('_');

const group = (name: string, members: readonly string[], types: readonly string[]): EntryKind => ({
  name,
  members,
  types,
  idOf: (_, orgId) => orgId,
});
/** A list. `ids` are the members whose values make the id of an entry; `orgId` is the id of its organization. */
const list = (name: string, type: string, ...ids: readonly string[]): EntryKind => ({
  name,
  types: [type],
  idOf: (entry, orgId) => joined(...ids.map((id) => (id === 'orgId' ? orgId : entry[id]))),
});
const texts = (name: string, type: string) => list(name, type, 'orgId', 'language');

/** Kinds of entries, in the order of the three passes of `Z:internal/api/grpc/admin/import.go`. */
export const entryKinds: readonly EntryKind[] = [
  group('org', ['org', 'orgState', 'domainPolicy', 'iamPolicy'], ['org', 'domain_policy']),
  {
    ...list('domains', 'domain', 'orgId', 'domainName'),
    types: ['domain', 'domain_isverified', 'domain_isprimary'],
  },
  list('oidcIdps', 'oidc_idp', 'idpId'),
  list('jwtIdps', 'jwt_idp', 'idpId'),
  group(
    'policies',
    [
      'labelPolicy',
      'lockoutPolicy',
      'loginPolicy',
      'passwordComplexityPolicy',
      'privacyPolicy',
      // The first form has these next to the login policy. They count only together with it.
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
  list('humanUsers', 'human_user', 'userId'),
  list('machineUsers', 'machine_user', 'userId'),
  list('userMetadata', 'user_metadata', 'id', 'key'),
  list('machineKeys', 'machine_user_key', 'keyId'),
  list('userLinks', 'user_link', 'userId', 'idpId'),
  list('projects', 'project', 'projectId'),
  list('oidcApps', 'oidc_app', 'appId'),
  list('apiApps', 'api_app', 'appId'),
  list('appKeys', 'app_key', 'id'),
  list('actions', 'action', 'actionId'),
  list('projectRoles', 'project_role', 'projectId', 'roleKey'),
  list('triggerActions', 'trigger_action', 'flowType', 'triggerType'),
  {
    ...list('projectGrants', 'project_grant'),
    idOf(entry, orgId) {
      const { projectId, grantedOrgId } = objectOf(entry['projectGrant']);
      return joined(orgId, projectId, grantedOrgId);
    },
  },
  list('userGrants', 'user_grant', 'orgId', 'projectId', 'userId'),
  list('orgMembers', 'org_member', 'orgId', 'userId'),
  list('projectGrantMembers', 'project_grant_member', 'orgId', 'projectId', 'grantId', 'userId'),
  list('projectMembers', 'project_member', 'orgId', 'projectId', 'userId'),
];

export const kindOf = (name: string): EntryKind => {
  const kind = entryKinds.find((kind) => kind.name === name);
  if (kind === undefined) throw new TypeError(`no entry of an organization: ${name}`);
  return kind;
};

/** Lists of users and service accounts, whose entries a run counts. */
export const userLists: readonly string[] = ['humanUsers', 'machineUsers'];

/** Lists whose entries each belong to one user, by id. */
export const ownedLists: readonly string[] = [
  'userMetadata',
  'machineKeys',
  'userLinks',
  'userGrants',
  'orgMembers',
  'projectGrantMembers',
  'projectMembers',
];

/** Lists that an import can leave out: what CreateUser takes itself (`users`), and what refers to existing users (`members`). */
export type BodyPart = 'users' | 'members';
const withUsers = [...userLists, 'userMetadata', 'userLinks'];
export const bodyParts: Readonly<Record<BodyPart, readonly string[]>> = {
  users: withUsers,
  members: ownedLists.filter((list) => !withUsers.includes(list)),
};

/**
 * Lists of texts, which are sent in requests of their own, one organization each. The service writes texts to the organization in
 * the request's header, not to the one in the body (`Z:internal/api/grpc/admin/import.go`).
 */
export const textLists: readonly string[] = entryKinds
  .map(({ name }) => name)
  .filter((name) => name === 'loginTexts' || name.endsWith('Messages'));

/** An import takes these texts, says nothing about them, and stores none, or those of invitations only beside those of passkeys. */
export const ignoredLists: readonly string[] = [
  'inviteUserMessages',
  'verifyPhoneMessages',
  'verifySmsOtpMessages',
  'verifyEmailOtpMessages',
];

/** Members that only the first form has. */
export const firstFormMembers: readonly string[] = ['iamPolicy', 'secondFactors', 'multiFactors', 'idps'];
