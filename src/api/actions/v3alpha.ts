/**
 * The first generation of the actions API (`/v3alpha`), which the spec describes: objects as targets of an execution.
 */
import { IdportError } from '../../errors.ts';
import {
  createTargetV3Request,
  createTargetV3Response,
  deleteExecutionV3Request,
  getTargetV3Response,
  listExecutionsV3Response,
  listTargetsV3Response,
  setExecutionV3Request,
  updateTargetV3Request,
  type TargetV3,
} from '../../wire/actions-v3alpha.ts';
import { encode } from '../../wire/codec.ts';
import type { Client } from '../client.ts';
import {
  nameLists,
  pageSize,
  readPages,
  readSettings,
  readTotal,
  writeKind,
  writeTimeout,
} from './shared.ts';
import { search } from '../search.ts';
import type { ActionsApi, RegisteredTarget, TargetSettings } from './types.ts';

export function createV3alpha(client: Client): ActionsApi {
  const one = (id: string): string => `/v3alpha/targets/${encodeURIComponent(id)}`;
  return {
    generation: 'v3alpha',
    async createTarget(settings) {
      const made = await client.call({
        method: 'POST',
        path: '/v3alpha/targets',
        body: encode(createTargetV3Request, writeTarget(settings)),
        answer: createTargetV3Response,
      });
      return { id: made.id, signingKey: made.signingKey || undefined };
    },
    async updateTarget(id, settings) {
      const body = encode(updateTargetV3Request, writeTarget(settings));
      await client.call({ method: 'PUT', path: one(id), body });
    },
    async rotateKey(id) {
      throw new IdportError('actions:not-supported', 'this service cannot make a new key for a target', {
        hint: `Delete target ${id}, create it again (\`idport actions target create --key-file <file>\`), and set its executions again.`,
      });
    },
    async getTarget(id) {
      const { target } = await client.call({ method: 'GET', path: one(id), answer: getTargetV3Response });
      if (target !== undefined) return readTarget(target);
      throw new IdportError('actions:no-target', `the service gave no target for the id ${id}`);
    },
    listTargets: () =>
      readPages(async (offset) => {
        const { result, details } = await client.call(
          search(
            '/v3alpha/targets/search',
            { query: { offset: String(offset), limit: pageSize, asc: true } },
            listTargetsV3Response,
          ),
        );
        return { entries: result.map(readTarget), total: readTotal(details?.totalResult) };
      }),
    async deleteTarget(id) {
      await client.call({ method: 'DELETE', path: one(id) });
    },
    async setExecution(condition, targetIds) {
      const targets = targetIds.map((target) => ({ target }));
      await client.call({
        method: 'PUT',
        path: '/v3alpha/executions',
        body: { targets: [], ...encode(setExecutionV3Request, { condition, targets }) },
      });
    },
    async clearExecution(condition) {
      const body = encode(deleteExecutionV3Request, { condition });
      await client.call({ method: 'DELETE', path: '/v3alpha/executions', body });
    },
    listExecutions: () =>
      readPages(async (offset) => {
        const { result, details } = await client.call(
          search(
            '/v3alpha/executions/search',
            { query: { offset: String(offset), limit: pageSize, asc: true } },
            { parse: (value) => listExecutionsV3Response.parse(lowerCondition(value)) },
          ),
        );
        const entries = result.map(({ condition = {}, targets }) => ({
          condition,
          targets: targets.flatMap(({ target }) => target ?? []),
          includes: targets.flatMap(({ include }) => include ?? []),
        }));
        return { entries, total: readTotal(details?.totalResult) };
      }),
    listNames: (kind) => nameLists[kind](client, `/v3alpha/executions/${kind}`),
  };
}

/** Payloads other than JSON came later; asking for one here would be forgotten in silence. */
function writeTarget(settings: TargetSettings) {
  if (settings.payload !== 'json') {
    throw new IdportError('actions:not-supported', 'this service sends payloads as plain JSON only', {
      hint: 'Leave --payload away.',
    });
  }
  return {
    name: settings.name,
    endpoint: settings.endpoint,
    timeout: writeTimeout(settings.timeoutMs),
    ...writeKind(settings),
  };
}

function readTarget(target: TargetV3): RegisteredTarget {
  return {
    ...readSettings(target),
    id: target.targetId,
    payload: 'json',
    createdAt: target.details?.creationDate ?? '',
    changedAt: target.details?.changeDate ?? '',
    signingKey: undefined,
  };
}

/** The field was declared as `Condition` with a capital letter, and answers have it so. */
function lowerCondition(value: unknown): unknown {
  const { result, ...rest } = value as { result?: unknown };
  if (!Array.isArray(result)) return value;
  return {
    ...rest,
    result: result.map((entry: unknown) => {
      const { Condition: capital, ...others } = entry as { Condition?: unknown };
      return capital === undefined ? entry : { condition: capital, ...others };
    }),
  };
}
