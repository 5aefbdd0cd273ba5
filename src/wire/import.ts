/** The bulk import and export. An import is answered with HTTP 200 even if entries failed. */
import { type Output, text, flag, list, message, type Input } from './message.ts';
import { dataOrg, dataOrgV1 } from './org-data.ts';

const localObject = message('ImportDataRequest_LocalInput', { path: text });
/** An object in a bucket: what an import reads, and what an export writes. */
const s3Fields = {
  path: text,
  endpoint: text,
  accessKeyId: text,
  secretAccessKey: text,
  ssl: flag,
  bucket: text,
};
/** `serviceaccountJson` is base64 of the key file. */
const gcsFields = {
  bucket: text,
  serviceaccountJson: text,
  path: text,
};
const s3Object = message('ImportDataRequest_S3Input', s3Fields);
const gcsObject = message('ImportDataRequest_GCSInput', gcsFields);

/** An import file in a bucket or on a disk: second form and first form. */
export const importDataOrg = message('ImportDataOrg', { orgs: list(dataOrg) });
export const importDataOrgV1 = message('ImportDataOrg', { orgs: list(dataOrgV1) });

/** Where the data is: exactly one is set. */
const sources = {
  dataOrgs: importDataOrg,
  dataOrgsv1: importDataOrgV1,
  dataOrgsLocal: localObject,
  dataOrgsv1Local: localObject,
  dataOrgsS3: s3Object,
  dataOrgsv1S3: s3Object,
  dataOrgsGcs: gcsObject,
  dataOrgsv1Gcs: gcsObject,
};
export const importDataRequest = message(
  'ImportDataRequest',
  { ...sources, timeout: text },
  {
    fullName: 'zitadel.admin.v1.ImportDataRequest',
    oneofs: [{ name: 'data', members: Object.keys(sources) }],
  },
);
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
  /** So spelled by the service. */
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
