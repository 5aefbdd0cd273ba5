/** The current generation of the actions API (`/v2/actions`). */
import {
  createTargetRequest,
  createTargetResponse,
  getTargetResponse,
  listExecutionsResponse,
  listTargetsResponse,
  setExecutionRequest,
  updateTargetRequest,
  updateTargetResponse,
  type Target,
} from '../../wire/actions.ts';
import { encode } from '../../wire/codec.ts';
import { IdportError } from '../../errors.ts';
import type { Client } from '../client.ts';
import {
  nameLists,
  pageSize,
  readPages,
  readPayload,
  readSettings,
  readTotal,
  writeKind,
  writePayload,
  writeTimeout,
} from './shared.ts';
import { search } from '../search.ts';
import type { ActionsApi, RegisteredExecution, RegisteredTarget, TargetSettings } from './types.ts';

const base = '/v2/actions';

export function createV2(client: Client): ActionsApi {
  const one = (id: string): string => `${base}/targets/${encodeURIComponent(id)}`;
  const update = async (id: string, changes: object): Promise<{ signingKey?: string | undefined }> =>
    client.call(search(one(id), encode(updateTargetRequest, changes), updateTargetResponse));

  return {
    generation: 'v2',
    async createTarget(settings) {
      const body = encode(createTargetRequest, writeTarget(settings));
      const made = await client.call({
        method: 'POST',
        path: `${base}/targets`,
        body,
        answer: createTargetResponse,
      });
      return { id: made.id, signingKey: made.signingKey || undefined };
    },
    async updateTarget(id, settings) {
      await update(id, writeTarget(settings));
    },
    async rotateKey(id) {
      const { signingKey } = await update(id, { expirationSigningKey: '0s' });
      if (signingKey !== undefined && signingKey !== '') return signingKey;
      throw new IdportError('actions:no-key', `the service gave no new signing key for target ${id}`);
    },
    async getTarget(id) {
      const { target } = await client.call({ method: 'GET', path: one(id), answer: getTargetResponse });
      if (target !== undefined) return readTarget(target);
      throw new IdportError('actions:no-target', `the service gave no target for the id ${id}`);
    },
    listTargets: () => listTargets(client),
    async deleteTarget(id) {
      await client.call({ method: 'DELETE', path: one(id) });
    },
    async setExecution(condition, targetIds) {
      await client.call({
        method: 'PUT',
        path: `${base}/executions`,
        body: { targets: targetIds, ...encode(setExecutionRequest, { condition }) },
      });
    },
    async clearExecution(condition) {
      await this.setExecution(condition, []);
    },
    listExecutions: () => listExecutions(client),
    listNames: (kind) => nameLists[kind](client, `${base}/executions/${kind}`),
  };
}

function listTargets(client: Client): Promise<RegisteredTarget[]> {
  return readPages(async (offset) => {
    const answer = await client.call(
      search(
        `${base}/targets/search`,
        { pagination: { offset: String(offset), limit: pageSize, asc: true } },
        listTargetsResponse,
      ),
    );
    return { entries: answer.targets.map(readTarget), total: readTotal(answer.pagination?.totalResult) };
  });
}

function listExecutions(client: Client): Promise<RegisteredExecution[]> {
  return readPages(async (offset) => {
    const answer = await client.call(
      search(
        `${base}/executions/search`,
        { pagination: { offset: String(offset), limit: pageSize, asc: true } },
        listExecutionsResponse,
      ),
    );
    const entries = answer.executions.map(({ condition = {}, targets }) => ({
      condition,
      targets,
      includes: [],
    }));
    return { entries, total: readTotal(answer.pagination?.totalResult) };
  });
}

function writeTarget(settings: TargetSettings) {
  return {
    name: settings.name,
    endpoint: settings.endpoint,
    timeout: writeTimeout(settings.timeoutMs),
    payloadType: writePayload(settings.payload),
    ...writeKind(settings),
  };
}

function readTarget(target: Target): RegisteredTarget {
  return {
    ...readSettings(target),
    id: target.id,
    payload: readPayload(target.payloadType),
    createdAt: target.creationDate,
    changedAt: target.changeDate,
    signingKey: target.signingKey || undefined,
  };
}
