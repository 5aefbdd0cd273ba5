/**
 * The bulk import and export, and an organization with everything in it, which is an element of `orgs` in both forms of a body.
 * An import is answered with HTTP 200 even if entries failed.
 */
import { accessTokenTypes, importHumanUserRequest, metadataFields } from './create-user.ts';
import {
  choice,
  exclusive,
  flag,
  type Input,
  list,
  message,
  optionalShortText,
  type Output,
  required,
  shortText,
  text,
  textUpTo,
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

/** What becomes of a user by the state of its entry. Any other state makes it active, too, although it says something else. */
export const statesSet: Readonly<Record<string, 'active' | 'inactive' | 'locked'>> = {
  USER_STATE_UNSPECIFIED: 'active',
  USER_STATE_ACTIVE: 'active',
  USER_STATE_INITIAL: 'active',
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_LOCKED: 'locked',
};

export const orgStates = [
  'ORG_STATE_UNSPECIFIED',
  'ORG_STATE_ACTIVE',
  'ORG_STATE_INACTIVE',
  'ORG_STATE_REMOVED',
] as const;

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
  /** Id that an import uses. The service's own export leaves it out. */
  userId: optionalShortText,
});

export const dataMachineUser = message('DataMachineUser', {
  /** Only set in the response. */
  userId: text,
  user: required(machineUser),
  state: choice(userStates),
});
export type DataMachineUser = Output<typeof dataMachineUser>;

/** `id` is the id of the user. */
export const userMetadataItem = message('SetUserMetadataRequest', {
  id: shortText,
  ...metadataFields,
});

const messages = list(policies.messageText);

/** Fields that both forms of an organization share, in two parts, because `triggerActions` between them differs. */
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
/** An organization as it is written. */
export type DataOrgInput = Input<typeof dataOrg>;
/** An organization as it is read: complete. */
export type DataOrg = Output<typeof dataOrg>;

const factor = <const Names extends readonly [string, ...string[]]>(goName: string, names: Names) =>
  message(goName, { type: choice(names) });

export const flowTypes = ['FLOW_TYPE_UNSPECIFIED', 'FLOW_TYPE_EXTERNAL_AUTHENTICATION'] as const;
export const triggerTypes = [
  'TRIGGER_TYPE_UNSPECIFIED',
  'TRIGGER_TYPE_POST_AUTHENTICATION',
  'TRIGGER_TYPE_PRE_CREATION',
  'TRIGGER_TYPE_POST_CREATION',
] as const;

/** An organization in the form of the first major version. */
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
  inviteUserMessages: messages,
});
export type DataOrgV1 = Output<typeof dataOrgV1>;

const localObject = message('ImportDataRequest_LocalInput', { path: text });
/** An object in an S3 bucket, which an import reads or an export writes. */
const s3Fields = {
  path: text,
  endpoint: text,
  accessKeyId: text,
  secretAccessKey: text,
  ssl: flag,
  bucket: text,
};
/** An object in a Google Cloud bucket. `serviceaccountJson` is base64 of the key file. */
const gcsFields = {
  bucket: text,
  serviceaccountJson: text,
  path: text,
};
const s3Object = message('ImportDataRequest_S3Input', s3Fields);
const gcsObject = message('ImportDataRequest_GCSInput', gcsFields);

/** An import file in a bucket or on a disk: in the second form, and below in the first. */
export const importDataOrg = message('ImportDataOrg', { orgs: list(dataOrg) });
export const importDataOrgV1 = message('ImportDataOrg', { orgs: list(dataOrgV1) });

export const importDataRequest = message('zitadel.admin.v1.ImportDataRequest', {
  // Where the data is. Exactly one is set.
  ...exclusive('data', {
    dataOrgs: importDataOrg,
    dataOrgsv1: importDataOrgV1,
    dataOrgsLocal: localObject,
    dataOrgsv1Local: localObject,
    dataOrgsS3: s3Object,
    dataOrgsv1S3: s3Object,
    dataOrgsGcs: gcsObject,
    dataOrgsv1Gcs: gcsObject,
  }),
  timeout: text,
});
export type ImportDataRequest = Output<typeof importDataRequest>;

/** `type` and `id` name the entry (`human_user`, its userId); `message` is `ID=<id> Message=<key>`. */
const importDataError = message('ImportDataError', { type: text, id: text, message: text });
export type ImportDataError = Output<typeof importDataError>;

const ids = list(text);

export const importDataSuccessOrg = message('ImportDataSuccessOrg', {
  orgId: text,
  projectIds: ids,
  projectRoles: ids,
  oidcAppIds: ids,
  apiAppIds: ids,
  humanUserIds: ids,
  machineUserIds: ids,
  actionIds: ids,
  triggerActions: list({ flowType: text, triggerType: text, actionIds: ids }),
  projectGrants: list({ grantId: text, projectId: text, orgId: text }),
  userGrants: list({ projectId: text, userId: text }),
  orgMembers: ids,
  projectMembers: list({ projectId: text, userId: text }),
  projectGrantMembers: list({ projectId: text, grantId: text, userId: text }),
  /** The service spells it like this. */
  oidcIpds: ids,
  jwtIdps: ids,
  idpLinks: ids,
  userLinks: list({
    userId: text,
    externalUserId: text,
    displayName: text,
    idpId: text,
  }),
  userMetadata: list({ userId: text, key: text }),
  domains: ids,
  appKeys: ids,
  machineKeys: ids,
});

export const importDataResponse = message('ImportDataResponse', {
  errors: list(importDataError),
  success: { orgs: list(importDataSuccessOrg) },
});
export type ImportDataResponse = Output<typeof importDataResponse>;

export const exportDataRequest = message('ExportDataRequest', {
  orgIds: list(text),
  excludedOrgIds: list(text),
  withPasswords: flag,
  withOtp: flag,
  responseOutput: flag,
  localOutput: message('ExportDataRequest_LocalOutput', { path: text }),
  s3Output: message('ExportDataRequest_S3Output', s3Fields),
  gcsOutput: message('ExportDataRequest_GCSOutput', gcsFields),
  timeout: text,
});
export type ExportDataInput = Input<typeof exportDataRequest>;
export type ExportDataRequest = Output<typeof exportDataRequest>;
