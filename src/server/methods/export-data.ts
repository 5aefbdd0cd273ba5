/** The export of organizations: in the answer, or as a file in a bucket. */
import { list } from '../../wire/message.ts';
import { dataOrg } from '../../wire/org-data.ts';
import { parseServiceAccount, writeObject } from '../../storage/bucket.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { exportDataRequest, type ExportDataRequest } from '../../wire/import.ts';
import type { Call } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { exportOrgs, type ExportedOrg } from '../export/org.ts';
import { collectOrgs, exportText } from '../export/text.ts';
import { answerTooLarge } from '../limits/connection.ts';
import { admin } from '../method.ts';

/**
 * `excludedOrgIds`, `gcsOutput` and `responseOutput` act as the interface description says; the real service ignores the last
 * two and fails with the first. Without a bucket the data is in the answer, always. Both ignore `timeout`.
 */
export const exportMethods = [
  admin('ExportData', 'POST /admin/v1/export', 'iam.read', {
    request: exportDataRequest,
    response: { orgs: list(dataOrg) },
    async handle(call, request) {
      if (request.gcsOutput !== undefined) await writeToBucket(call, request);
      if (request.gcsOutput !== undefined && !request.responseOutput) return {};
      const { orgs, size } = await collectOrgs(selectOrgs(call, request));
      if (orgs === undefined) throw answerTooLarge(size);
      return { orgs };
    },
  }),
];

/** The service exports from its lists, so an export lags as they do. */
function* selectOrgs({ lists }: Call, request: ExportDataRequest): Generator<ExportedOrg> {
  const store = lists.read();
  const excluded = new Set(request.excludedOrgIds);
  const requested = new Set(request.orgIds);
  const rows = store.orgs
    .list()
    .filter(({ id }) => !excluded.has(id) && (requested.size === 0 || requested.has(id)));
  yield* exportOrgs(store, rows, request);
}

async function writeToBucket(call: Call, request: ExportDataRequest): Promise<void> {
  const { bucket, path, serviceaccountJson } = request.gcsOutput!;
  try {
    const client = {
      account: parseServiceAccount(serviceaccountJson),
      endpoint: call.settings.storageEndpoint,
    };
    await writeObject({ bucket, path }, client, exportText(selectOrgs(call, request)));
  } catch (error) {
    // The same request fails again.
    throw new ServiceError(grpcCodes.failedPrecondition, (error as Error).message);
  }
}
