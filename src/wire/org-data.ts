/** One organization with everything in it: an element of `orgs` in an export and in both forms of an import. */
import { importHumanUserRequest } from './human-user.ts';
import {
  type Output,
  type Input,
  text,
  textUpTo,
  shortText,
  optionalShortText,
  flag,
  bytes,
  choice,
  required,
  list,
  message,
  ruled,
} from './message.ts';
import * as policies from './org-policies.ts';
import * as resources from './org-resources.ts';

export const userStates = [
  'USER_STATE_UNSPECIFIED',
  'USER_STATE_ACTIVE',
  'USER_STATE_INACTIVE',
  'USER_STATE_DELETED',
  'USER_STATE_LOCKED',
  'USER_STATE_SUSPEND',
  'USER_STATE_INITIAL',
] as const;

export const orgStates = [
  'ORG_STATE_UNSPECIFIED',
  'ORG_STATE_ACTIVE',
  'ORG_STATE_INACTIVE',
  'ORG_STATE_REMOVED',
] as const;

export const accessTokenTypes = ['ACCESS_TOKEN_TYPE_BEARER', 'ACCESS_TOKEN_TYPE_JWT'] as const;

export const dataHumanUser = message('DataHumanUser', {
  userId: text,
  user: required(importHumanUserRequest),
  state: choice(userStates),
});
export type DataHumanUser = Output<typeof dataHumanUser>;

export const machineUser = message('AddMachineUserRequest', {
  userName: shortText,
  name: shortText,
  description: textUpTo(500),
  accessTokenType: choice(accessTokenTypes),
  /** The id that an import uses; the service's own export leaves it out. */
  userId: optionalShortText,
});

export const dataMachineUser = message('DataMachineUser', {
  /** Only returned in the response. */
  userId: text,
  user: required(machineUser),
  state: choice(userStates),
});
export type DataMachineUser = Output<typeof dataMachineUser>;

/** `id` is the user's. */
export const userMetadataItem = message('SetUserMetadataRequest', {
  id: shortText,
  key: shortText,
  value: ruled(bytes, { min: 1, max: 500_000 }),
});

const messages = list(policies.messageText);

/** The members that both forms share, in two parts: their trigger actions, between them, differ. */
const beforeTriggers = {
  labelPolicy: policies.labelPolicy,
  lockoutPolicy: policies.lockoutPolicy,
  loginPolicy: policies.loginPolicy,
  passwordComplexityPolicy: policies.passwordComplexityPolicy,
  privacyPolicy: policies.privacyPolicy,
  projects: list(resources.projectItem),
  projectRoles: list(resources.projectRoleItem),
  apiApps: list(resources.apiAppItem),
  oidcApps: list(resources.oidcAppItem),
  humanUsers: list(dataHumanUser),
  machineUsers: list(dataMachineUser),
};

const afterTriggers = {
  actions: list(resources.actionItem),
  projectGrants: list(resources.projectGrantItem),
  userGrants: list(resources.userGrantItem),
  orgMembers: list(resources.orgMemberItem),
  projectMembers: list(resources.projectMemberItem),
  projectGrantMembers: list(resources.projectGrantMemberItem),
  userMetadata: list(userMetadataItem),
  loginTexts: list(policies.loginTexts),
  initMessages: messages,
  passwordResetMessages: messages,
  verifyEmailMessages: messages,
  verifyPhoneMessages: messages,
  domainClaimedMessages: messages,
  passwordlessRegistrationMessages: messages,
  oidcIdps: list(resources.oidcIdpItem),
  jwtIdps: list(resources.jwtIdpItem),
  userLinks: list(resources.userLinkItem),
  domains: list(resources.domainItem),
  appKeys: list(resources.appKeyItem),
  machineKeys: list(resources.machineKeyItem),
};

export const orgName = message('AddOrgRequest', { name: shortText });

export const dataOrg = message('DataOrg', {
  orgId: text,
  org: orgName,
  domainPolicy: policies.domainPolicy,
  ...beforeTriggers,
  triggerActions: list(resources.triggerActionsItem),
  ...afterTriggers,
  verifySmsOtpMessages: list(policies.smsText),
  verifyEmailOtpMessages: messages,
  inviteUserMessages: messages,
  orgState: choice(orgStates),
});
/** As it is written. */
export type DataOrgInput = Input<typeof dataOrg>;
/** As it is read: complete. */
export type DataOrg = Output<typeof dataOrg>;

const factor = <const Names extends readonly [string, ...string[]]>(goName: string, names: Names) =>
  message(goName, { type: choice(names) });

const flowTypes = ['FLOW_TYPE_UNSPECIFIED', 'FLOW_TYPE_EXTERNAL_AUTHENTICATION'] as const;
const triggerTypes = [
  'TRIGGER_TYPE_UNSPECIFIED',
  'TRIGGER_TYPE_POST_AUTHENTICATION',
  'TRIGGER_TYPE_PRE_CREATION',
  'TRIGGER_TYPE_POST_CREATION',
] as const;

/** The form of the first major version. */
export const dataOrgV1 = message('DataOrg', {
  orgId: text,
  org: orgName,
  iamPolicy: message('AddCustomOrgIAMPolicyRequest', {
    orgId: shortText,
    userLoginMustBeDomain: flag,
  }),
  ...beforeTriggers,
  triggerActions: list(
    message('SetTriggerActionsRequest', {
      flowType: choice(flowTypes),
      triggerType: choice(triggerTypes),
      actionIds: list(text),
    }),
  ),
  ...afterTriggers,
  secondFactors: list(factor('AddSecondFactorToLoginPolicyRequest', policies.secondFactors)),
  multiFactors: list(factor('AddMultiFactorToLoginPolicyRequest', policies.multiFactors)),
  idps: list(policies.loginPolicyIdp),
});
export type DataOrgV1 = Output<typeof dataOrgV1>;
