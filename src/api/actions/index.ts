/** The actions API of a service, whichever generation it speaks and whatever it calls its packages. */
import { IdportError } from '../../errors.ts';
import { ApiError } from '../api-error.ts';
import type { ConditionInput } from '../../wire/action-condition.ts';
import type { Client } from '../client.ts';
import { otherPackageName } from './condition.ts';
import type { ActionsApi, Generation } from './types.ts';
import { createVersionApi } from './version-api.ts';
import { v2, v3alpha } from './versions.ts';

/**
 * `auto` asks the newest generation first and goes to the next where the service does not have the path; the first
 * that answers anything else is kept.
 */
export function createActionsApi(client: Client, which: Generation | 'auto'): ActionsApi {
  const candidates = [v2, v3alpha]
    .filter(({ generation }) => which === 'auto' || which === generation)
    .map((version) => createVersionApi(client, version));
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
    setExecution: (condition, targetIds) =>
      underEitherName(condition, (known) => ask((api) => api.setExecution(known, targetIds))),
    clearExecution: (condition) =>
      underEitherName(condition, (known) => ask((api) => api.clearExecution(known))),
    listExecutions: () => ask((api) => api.listExecutions()),
    listNames: (kind) => ask((api) => api.listNames(kind)),
  };
}

/** Ids of errors that say: no method, no service of this name. */
const unknownName: ReadonlySet<string> = new Set(['COMMAND-vysplsevt8', 'COMMAND-qu6dfhiioq']);

/** Where the service does not know the name, the same one with the other brand in its package is tried. */
async function underEitherName(
  condition: ConditionInput,
  call: (condition: ConditionInput) => Promise<void>,
): Promise<void> {
  const other = otherPackageName(condition);
  try {
    await call(condition);
  } catch (error) {
    if (other === undefined || !(error instanceof ApiError) || !unknownName.has(error.id ?? '')) throw error;
    await call(other).catch((second: unknown) => {
      // The name as it was given is the one to be read about.
      throw second instanceof ApiError && unknownName.has(second.id ?? '') ? error : second;
    });
  }
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
