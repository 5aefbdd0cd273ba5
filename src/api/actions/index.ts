/** A client in, the actions API out, whichever generation of it the service speaks. */
import { IdportError } from '../../errors.ts';
import { ApiError } from '../api-error.ts';
import type { Client } from '../client.ts';
import { generations, type ActionsApi, type Generation } from './types.ts';
import { createV2 } from './v2.ts';
import { createV3alpha } from './v3alpha.ts';

/**
 * `auto` asks the newest generation first and goes to the next where the service does not have the path; the first
 * that answers anything else is kept.
 */
export function createActionsApi(client: Client, which: Generation | 'auto'): ActionsApi {
  const candidates = (which === 'auto' ? generations : [which]).map((generation) =>
    generation === 'v3alpha' ? createV3alpha(client) : createV2(client, generation),
  );
  let kept: ActionsApi | undefined;

  const ask = async <Value>(question: (api: ActionsApi) => Promise<Value>): Promise<Value> => {
    for (const api of kept === undefined ? candidates : [kept]) {
      try {
        const value = await question(api);
        kept = api;
        return value;
      } catch (error) {
        if (kept === undefined && isUnknownPath(error)) continue;
        if (error instanceof ApiError && error.status !== undefined) kept = api;
        throw error;
      }
    }
    throw noActions(client, candidates);
  };

  return {
    get generation() {
      return kept?.generation;
    },
    createTarget: (settings) => ask((api) => api.createTarget(settings)),
    updateTarget: (id, settings) => ask((api) => api.updateTarget(id, settings)),
    rotateKey: (id) => ask((api) => api.rotateKey(id)),
    getTarget: (id) => ask((api) => api.getTarget(id)),
    listTargets: () => ask((api) => api.listTargets()),
    deleteTarget: (id) => ask((api) => api.deleteTarget(id)),
    setExecution: (condition, targetIds) => ask((api) => api.setExecution(condition, targetIds)),
    clearExecution: (condition) => ask((api) => api.clearExecution(condition)),
    listExecutions: () => ask((api) => api.listExecutions()),
    listNames: (kind) => ask((api) => api.listNames(kind)),
  };
}

/** The service answers 404 for a missing target or condition as well, but then with an id of the error. */
export function isUnknownPath(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 404 &&
    error.id === undefined &&
    !/unable to set instance/i.test(error.text)
  );
}

function noActions(client: Client, asked: readonly ActionsApi[]): IdportError {
  const names = asked.map(({ generation }) => generation).join(', ');
  return new IdportError('actions:none', `${client.url} has no actions API (asked for ${names})`, {
    hint: 'Check --url and --api; the service may be older than actions, or the address is not its base.',
  });
}
