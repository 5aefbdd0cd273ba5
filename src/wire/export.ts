/** The export: every field of the request is optional; the response is what an import takes as `dataOrgs`. */
import { gcsFields, s3Fields } from './import.ts';
import { type Output, type Input, text, flag, list, message } from './message.ts';

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
