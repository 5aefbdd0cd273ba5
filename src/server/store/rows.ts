/**
 * The rows of the store: plain values that survive JSON. Times are milliseconds since 1970. Texts and lists that are
 * not set are '' and []. Values that only an import brings keep their form from wire/.
 */
import type { Output } from '../../wire/message.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { Condition, PayloadType, TargetBasics } from '../../wire/actions.ts';
import type { EmailKind } from '../../records/messages.ts';
import type { PasswordPolicy } from '../../records/password-policy.ts';
import type { createSessionRequest } from '../../wire/sign-in.ts';
import type { GenderName } from '../../wire/create-user.ts';
import type { ProviderKind, ProviderOptions } from '../../wire/identity-providers.ts';
import type { DataOrg } from '../../wire/import.ts';
import type { Row } from './table.ts';
import type * as resources from '../../wire/org-resources.ts';

export type UserStatus = 'active' | 'inactive' | 'locked' | 'initial';

/** A row that belongs to an organization. */
interface Owned extends Row {
  readonly orgId: string;
}
export interface Made extends Owned {
  readonly created: number;
}

/** A row that can change after its creation. */
interface Changing extends Row {
  readonly created: number;
  readonly changed: number;
  readonly sequence: number;
}

/** A deleted user or project, kept for the event log. */
export interface RemovedRow extends Made {
  readonly kind: 'human' | 'machine' | 'project';
  readonly removed: number;
}

/** Fields that few users have. They are not stored if they are not set. */
interface RareUserFields {
  nickName: string;
  /** Only set if it differs from first and last name. */
  displayName: string;
  gender: GenderName | number;
  phone: string;
  phoneVerified: boolean;
  /** Newest codes, sent or returned in the answer. */
  emailCode: CodeRow;
  phoneCode: CodeRow;
  passwordChangeRequired: boolean;
  /** Not set for the password that the user was created with. */
  passwordChanged: number;
  /** Wrong passwords since the last correct one. */
  failedAttempts: number;
  /** Wrong TOTP codes since the last correct one. */
  failedCodes: number;
  /** Base32. Secret. */
  otpSecret: string;
  /** Hashes. Secret. */
  recoveryCodes: readonly string[];
  /** Maps keys to base64 values. */
  metadata: Readonly<Record<string, MetadataValue>>;
  links: readonly LinkRow[];
  /** Name of a service user, as the next three. */
  name: string;
  description: string;
  accessTokenType: 'ACCESS_TOKEN_TYPE_BEARER' | 'ACCESS_TOKEN_TYPE_JWT' | number;
  /** SHA-256 of the client secret, base64. */
  secretHash: string;
  /** Not set if nothing has changed since the creation. */
  changed: number;
}
type Optional<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** A human or machine user. A million of them must fit into memory. */
export interface UserRow extends Made, Optional<RareUserFields> {
  readonly kind: 'human' | 'machine';
  readonly userName: string;
  readonly status: UserStatus;
  readonly sequence: number;
  /** Position among all users, by time of creation. */
  readonly order: number;
  /** Id of the user who created this one. */
  readonly editor: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** BCP 47, or `und` if unknown. */
  readonly language: string;
  /** Modular crypt format. Secret. Empty if the user has no password. */
  readonly passwordHash: string;
}

export interface CodeRow {
  readonly at: number;
  readonly returned: boolean;
}

export interface MetadataValue {
  /** Base64, standard alphabet, padded. */
  readonly value: string;
  readonly created: number;
  readonly changed: number;
}

export interface LinkRow {
  readonly idpId: string;
  readonly externalUserId: string;
  readonly displayName: string;
  /** Set if the link was added to an existing user. */
  readonly added?: number;
}

export interface DomainRow {
  readonly domainName: string;
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
}

/** Kinds of texts, named like the lists of an import body. */
export const textKinds = [
  'loginTexts',
  'initMessages',
  'passwordResetMessages',
  'verifyEmailMessages',
  'verifyPhoneMessages',
  'domainClaimedMessages',
  'passwordlessRegistrationMessages',
  'verifySmsOtpMessages',
  'verifyEmailOtpMessages',
  'inviteUserMessages',
] as const satisfies readonly (keyof DataOrg)[];
export type TextKind = (typeof textKinds)[number];

type OrgPolicies = Pick<
  DataOrg,
  | 'domainPolicy'
  | 'labelPolicy'
  | 'lockoutPolicy'
  | 'loginPolicy'
  | 'passwordComplexityPolicy'
  | 'privacyPolicy'
>;
export interface OrgRow extends OrgPolicies, Changing {
  /** The same as `id`: an organization is its own resource owner. */
  readonly orgId: string;
  readonly name: string;
  readonly active: boolean;
  /** Set once the organization was removed. */
  readonly removed?: number;
  readonly domains: readonly DomainRow[];
  readonly notificationPolicy?: { readonly passwordChange: boolean } | undefined;
  /** Texts by kind and language. */
  readonly texts: Readonly<Partial<Record<TextKind, Readonly<Record<string, object>>>>>;
}

type Inner<M, Name extends keyof Output<M>> = NonNullable<Output<M>[Name]>;

export interface ProjectRow extends Made {
  readonly project: Inner<typeof resources.projectItem, 'project'>;
}
/** `id` is `projectId/roleKey`. */
export interface RoleRow extends Made {
  readonly projectId: string;
  readonly role: Output<typeof resources.projectRoleItem>;
}
export interface AppRow extends Made {
  readonly projectId: string;
  readonly clientId: string;
  readonly oidc?: Inner<typeof resources.oidcAppItem, 'app'> | undefined;
  readonly api?: Inner<typeof resources.apiAppItem, 'app'> | undefined;
  /** SHA-256 of the client secret, base64. Not set if the application has no secret. */
  readonly secretHash?: string;
}
export interface AppKeyRow extends Owned {
  readonly appId: string;
  readonly key: Output<typeof resources.appKeyItem>;
}
/** A service user's public key. `publicKey` is the base64 of a PEM. */
export interface MachineKeyRow extends Owned {
  readonly userId: string;
  readonly key: Output<typeof resources.machineKeyItem>;
}
/** A script of the first version of actions (`actions` in an import body). */
export interface ScriptRow extends Owned {
  readonly action: Inner<typeof resources.actionItem, 'action'>;
}
/** `id` is `orgId/flowType/triggerType`. */
export interface TriggerRow extends Owned {
  readonly flowType: string;
  readonly triggerType: string;
  readonly actionIds: readonly string[];
}
export interface ProjectGrantRow extends Made {
  readonly projectId: string;
  readonly grantedOrgId: string;
  readonly roleKeys: readonly string[];
}
export interface UserGrantRow extends Made {
  readonly userId: string;
  readonly projectId: string;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
  readonly sequence: number;
}

/** Where a role holds: in the whole instance, an organization, a project or a project grant. */
type MemberScope = 'iam' | 'org' | 'project' | 'project-grant';
/** `id` is `scope/objectId/userId`. `orgId` owns the object, and is '' for the instance. */
export interface MemberRow extends Made {
  readonly scope: MemberScope;
  readonly objectId: string;
  /** Project of the member's project or project grant. '' for other scopes. */
  readonly projectId: string;
  readonly userId: string;
  readonly roles: readonly string[];
}

/** An identity provider. `orgId` is '' if it belongs to the whole instance. */
export interface IdpRow extends Made {
  readonly name: string;
  /** Set if a provider method created it: the kind, and the settings without the secret. */
  readonly template?: {
    readonly kind: ProviderKind;
    readonly options: ProviderOptions;
    readonly settings: JsonObject;
  };
  readonly allowsCreation: boolean;
  readonly oidc?: Inner<typeof resources.oidcIdpItem, 'idp'> | undefined;
  readonly jwt?: Inner<typeof resources.jwtIdpItem, 'idp'> | undefined;
}

/** `id` is the token itself, because the server looks it up by what the client sends. Secret. */
export interface TokenRow {
  readonly id: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly kind: 'pat' | 'access';
  /** `never` of accounts.ts if it does not expire. */
  readonly expires: number;
  readonly created: number;
  /** Whether the service's own project is in the audience. Always true for personal access tokens. */
  readonly api: boolean;
}

/** A session of a user, with the time at which each factor was checked. */
export interface SessionRow extends Changing {
  /** Id of the caller who created it. */
  readonly creator: string;
  /** SHA-256 of the newest token, base64. */
  readonly tokenHash: string;
  /** `never` of accounts.ts if it does not expire. */
  readonly expires: number;
  readonly terminated?: boolean;
  readonly userId?: string;
  readonly userAt?: number;
  readonly passwordAt?: number;
  readonly totpAt?: number;
  /** Maps keys to base64 values. */
  readonly metadata?: JsonObject;
  readonly userAgent?: NonNullable<Output<typeof createSessionRequest>['userAgent']>;
}

/** An email or SMS that the real service would have sent. */
export interface Notification {
  readonly id: string;
  /** Counts up from 1 without gaps. */
  readonly number: number;
  readonly at: number;
  readonly kind:
    | 'init'
    | 'verify-email'
    | 'verify-phone'
    | 'passwordless'
    | 'password-reset'
    | 'invite'
    | 'password-changed';
  /** Why the message is sent, in the words of the forecast. */
  readonly reason: EmailKind | 'phone-unverified' | 'requested';
  readonly userId: string;
  readonly orgId: string;
  /** Email address or phone number of the recipient. */
  readonly to: string;
}

export interface InstanceRow {
  /** Always `instance`. */
  readonly id: string;
  readonly instanceId: string;
  readonly name: string;
  /** Without a port. */
  readonly domain: string;
  readonly defaultOrgId: string;
  /** Id of the project that stands for the service's own API. */
  readonly projectId: string;
  readonly created: number;
  /** For organizations without their own policy. */
  readonly passwordComplexity: PasswordPolicy;
  readonly languages: readonly string[];
}

export interface TargetRow extends TargetBasics, Changing {
  readonly payloadType: PayloadType;
  /** Secret. */
  readonly signingKey: string;
}

/** A key that encrypts payloads for a target. */
export interface TargetKeyRow {
  readonly id: string;
  readonly targetId: string;
  /** PEM. */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly active: boolean;
  /** `never` of accounts.ts if it does not expire. */
  readonly expires: number;
  readonly created: number;
  readonly changed: number;
}

/** The id of a target, or `include`: the id of another execution, whose targets are called as well. */
export type ExecutionEntry = string | { readonly include: string };

/**
 * The generation that set an execution. The first one gets the documented payload, the second one what the service
 * sends.
 */
export type Generation = 'v3alpha' | 'v2';

/** `methods/executions.ts` derives `id` from the condition. */
export interface ExecutionRow extends Changing {
  /** As it was set, so that it reads back the same, except that a group loses its `.*`. */
  readonly condition: Condition;
  readonly generation: Generation;
  /** In the order in which they are called. */
  readonly targets: readonly ExecutionEntry[];
}

/** A deleted target. Deleting it again returns the same time. */
export interface DeletedTargetRow {
  readonly id: string;
  readonly deleted: number;
}
