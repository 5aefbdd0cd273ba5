/** The export: every field of the request is optional; the response is what an import takes as `dataOrgs`. */
import type { z } from 'zod';
import { gcsFields, s3Fields } from './import.ts';
import { flag, list, message, text } from './message.ts';
import { dataOrg } from './org-data.ts';

export const exportDataRequest = message('ExportDataRequest', {
  orgIds: list(text()),
  excludedOrgIds: list(text()),
  withPasswords: flag(),
  withOtp: flag(),
  responseOutput: flag(),
  localOutput: message('ExportDataRequest_LocalOutput', { path: text() }).optional(),
  s3Output: message('ExportDataRequest_S3Output', s3Fields).optional(),
  gcsOutput: message('ExportDataRequest_GCSOutput', gcsFields).optional(),
  timeout: text(),
});
export type ExportDataInput = z.input<typeof exportDataRequest>;
export type ExportDataRequest = z.output<typeof exportDataRequest>;

export const exportDataResponse = message('ExportDataResponse', { orgs: list(dataOrg) });
