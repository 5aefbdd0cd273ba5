/** The bulk import, which finishes before or after the answer, and the export into the answer or a bucket. */
import { readFile, stat } from 'node:fs/promises';
import { parseDuration } from '../../lib/go-duration.ts';
import { readAll } from '../../lib/input.ts';
import { parseServiceAccount, readObject, writeObject } from '../../storage/bucket.ts';
import { decode } from '../../wire/codec.ts';
import { grpcCodes } from '../../wire/errors.ts';
import {
  exportDataRequest,
  type ExportDataRequest,
  importDataOrg,
  importDataOrgV1,
  importDataRequest,
  type ImportDataRequest,
  importDataResponse,
  type DataOrg,
  dataOrg,
} from '../../wire/import.ts';
import { list } from '../../wire/message.ts';
import { type Call, type ServerSettings, admin } from '../method.ts';
import { ServiceError, unknownError } from '../errors.ts';
import { type ExportedOrg, exportOrgs, collectOrgs, exportText } from '../export.ts';
import { inlineOrgs, runImport, toSecondForm } from '../import/run.ts';

const by = ({ caller, orgId }: Call) => ({ editor: caller.user.id, textsTo: orgId });

/** Imports after the answer. The outcome is only logged. Field rules do not apply to a file. */
async function importLater(call: Call, request: ImportDataRequest, timeout: number) {
  const { log } = call.settings;
  try {
    const bytes = await call.settings.readObject(request);
    const { dataOrgsv1Local, dataOrgsv1Gcs, dataOrgsv1S3 } = request;
    const isFirstForm = (dataOrgsv1Local ?? dataOrgsv1Gcs ?? dataOrgsv1S3) !== undefined;
    const orgs = isFirstForm
      ? decode(importDataOrgV1, bytes).orgs.map(toSecondForm)
      : decode(importDataOrg, bytes).orgs;
    const whole = orgs.map((org) => withoutHollow(org, (what) => log(`import: ${what} is left out`)));
    const { errors = [], success } = await runImport(call, by(call), whole, timeout);
    for (const error of errors) log(`import: ${error.type} ${error.id}: ${error.message}`);
    const users = (success?.orgs ?? []).reduce((sum, org) => sum + (org.humanUserIds?.length ?? 0), 0);
    log(`import: finished: ${users} human users, ${errors.length} errors`);
  } catch (error) {
    log(`import: failed: ${(error as Error).message}`);
  }
}

/** Leaves out entries without their record, which would crash the real service, after `tell` was called with each. */
export function withoutHollow(org: DataOrg, tell: (what: string) => void): DataOrg {
  const isWhole = (part: 'user' | 'project') => (entry: { user?: unknown; project?: unknown }) => {
    if (entry[part] === undefined) tell(`an entry without ${part}`);
    return entry[part] !== undefined;
  };
  return {
    ...org,
    humanUsers: org.humanUsers.filter(isWhole('user')),
    machineUsers: org.machineUsers.filter(isWhole('user')),
    projects: org.projects.filter(isWhole('project')),
  };
}

/**
 * Returns a function that reads the data that a request names, from the server's disk or a bucket. `endpoint` replaces
 * Google's. It rejects if the data cannot be read, which the service only logs.
 */
export function createReadObject(endpoint: string | undefined): ServerSettings['readObject'] {
  return async (request) => {
    const { path } = request.dataOrgsLocal ?? request.dataOrgsv1Local ?? {};
    if (path !== undefined) {
      // Reading a device or a pipe may never end.
      if (!(await stat(path)).isFile()) throw new Error(`${path}: not a file`);
      return readFile(path);
    }
    const gcs = request.dataOrgsGcs ?? request.dataOrgsv1Gcs;
    if (gcs === undefined) {
      const isS3 = (request.dataOrgsS3 ?? request.dataOrgsv1S3) !== undefined;
      throw new Error(isS3 ? 'S3 is not supported here' : 'no data to import');
    }
    const account = parseServiceAccount(gcs.serviceaccountJson);
    return (await readAll(readObject(gcs, { account, endpoint })))!;
  };
}

export const dataMethods = [
  admin('ImportData', 'POST /admin/v1/import', 'iam.write', {
    request: importDataRequest,
    response: importDataResponse,
    async handle(call, request) {
      // A timeout that is no duration gets Go's error text with HTTP 500, as in the service.
      const timeout = parseDuration(request.timeout, unknownError);
      const orgs = inlineOrgs(request);
      if (orgs === undefined) {
        call.background(() => importLater(call, request, timeout));
        return {};
      }
      return runImport(call, by(call), orgs, timeout);
    },
  }),
  /**
   * `excludedOrgIds`, `gcsOutput` and `responseOutput` work as the interface description says. The real service ignores
   * the last two and fails with the first. Without a bucket, the answer always contains the data. Both ignore `timeout`.
   */
  admin('ExportData', 'POST /admin/v1/export', 'iam.read', {
    request: exportDataRequest,
    response: { orgs: list(dataOrg) },
    async handle(call, request) {
      if (request.gcsOutput !== undefined) await writeToBucket(call, request);
      if (request.gcsOutput !== undefined && !request.responseOutput) return {};
      return { orgs: await collectOrgs(selectOrgs(call, request)) };
    },
  }),
];

/** Yields the organizations to export. The service exports from its lists, so an export lags as they do. */
function* selectOrgs({ lists }: Call, request: ExportDataRequest): Generator<ExportedOrg> {
  const store = lists.read();
  const excluded = new Set(request.excludedOrgIds);
  const requested = new Set(request.orgIds);
  const rows = store.orgs
    .list()
    .filter(({ id }) => !excluded.has(id) && (requested.size === 0 || requested.has(id)));
  yield* exportOrgs(store, rows, request);
}

async function writeToBucket(call: Call, request: ExportDataRequest) {
  const { bucket, path, serviceaccountJson } = request.gcsOutput!;
  try {
    const client = {
      account: parseServiceAccount(serviceaccountJson),
      endpoint: call.settings.storageEndpoint,
    };
    await writeObject({ bucket, path }, client, exportText(selectOrgs(call, request)));
  } catch (error) {
    // Not worth a retry: the same request would fail again.
    throw new ServiceError(grpcCodes.failedPrecondition, (error as Error).message);
  }
}
