/** The actions API of a service, in either generation and with either brand of package names. */
import { IdportError } from '../../errors.ts';
import { ApiError } from '../api-error.ts';
import { type ConditionInput, createTargetResponse, updateTargetResponse } from '../../wire/actions.ts';
import { type Client, get, search } from '../client.ts';
import type { Answer } from '../send.ts';
import { otherPackageName } from './condition.ts';
import {
  type Generation,
  type RegisteredTarget,
  type TargetSettings,
  v2,
  v3alpha,
  type Version,
} from './versions.ts';

/** The service's own page size for targets and executions. */
const pageSize = 100;

export type ActionsApi = ReturnType<typeof createActionsApi>;

/**
 * `auto` tries the newest generation first, then the next if the service does not have the path. It keeps the first one that
 * exists. Every function throws `ApiError` if the service refuses.
 */
export function createActionsApi(client: Client, which: Generation | 'auto') {
  const candidates = [v2, v3alpha].filter(({ generation }) => which === 'auto' || which === generation);
  let kept: Version | undefined;

  const ask = async <Value>(question: (version: Version) => Promise<Value>) => {
    for (const version of kept === undefined ? candidates : [kept]) {
      try {
        const value = await question(version);
        kept = version;
        return value;
      } catch (error) {
        if (kept === undefined && isUnknownPath(error)) continue;
        if (error instanceof ApiError && error.status !== undefined) kept = version;
        throw error;
      }
    }
    throw noActions(client, candidates);
  };

  const pathOf = ({ base }: Version, id: string) => `${base}/targets/${encodeURIComponent(id)}`;
  const change = (version: Version, id: string, body: object) =>
    client.call({ method: version.change, path: pathOf(version, id), body, answer: updateTargetResponse });

  return {
    /** Undefined until a call has shown which generation the service has. */
    get generation(): Generation | undefined {
      return kept?.generation;
    },
    /** The result has no signing key if the service does not sign. */
    createTarget: (settings: TargetSettings) =>
      ask(async ({ base, write }) => {
        const path = `${base}/targets`;
        const body = write(settings);
        const made = await client.call({ method: 'POST', path, body, answer: createTargetResponse });
        return { id: made.id, signingKey: made.signingKey || undefined };
      }),
    updateTarget: (id: string, settings: TargetSettings) =>
      ask((version) => change(version, id, version.write(settings))),
    /** Creates a new signing key. The old one becomes invalid at once. */
    rotateKey: (id: string) =>
      ask((version) => rotateKey(version.rotation, id, (body) => change(version, id, body))),
    getTarget: (id: string) =>
      ask(async (version): Promise<RegisteredTarget> => {
        const target = await client.call(get(pathOf(version, id), version.target));
        if (target !== undefined) return target;
        throw new IdportError('actions:no-target', `the service gave no target for the id ${id}`);
      }),
    listTargets: () =>
      ask(({ base, page, targets }) => readPages(client, `${base}/targets/search`, page, targets)),
    deleteTarget: (id: string) =>
      ask((version) => client.call({ method: 'DELETE', path: pathOf(version, id) })),
    /** Replaces the targets of the condition. */
    setExecution: (condition: ConditionInput, targetIds: readonly string[]) =>
      underEitherName(condition, (condition) =>
        ask(({ base, entry }) => {
          const body = { targets: targetIds.map(entry), condition };
          return client.call({ method: 'PUT', path: `${base}/executions`, body });
        }),
      ),
    clearExecution: (condition: ConditionInput) =>
      underEitherName(condition, (condition) =>
        ask(({ base, clear }) => client.call({ path: `${base}/executions`, ...clear(condition) })),
      ),
    listExecutions: () =>
      ask(({ base, page, executions }) => readPages(client, `${base}/executions/search`, page, executions)),
  };
}

/** Reads all pages. A page that is not full is the last one, which also works with services that have no pages. */
async function readPages<Entry>(
  client: Client,
  path: string,
  member: Version['page'],
  answer: Answer<{ readonly entries: readonly Entry[]; readonly total: string | undefined }>,
) {
  const all: Entry[] = [];
  for (;;) {
    const page = { [member]: { offset: String(all.length), limit: pageSize, asc: true } };
    const { entries, total = Infinity } = await client.call(search(path, page, answer));
    all.push(...entries);
    if (entries.length !== pageSize || all.length >= Number(total)) return all;
  }
}

async function rotateKey(
  rotation: Version['rotation'],
  id: string,
  change: (body: object) => Promise<{ readonly signingKey?: string | undefined }>,
) {
  if (rotation === undefined) {
    throw new IdportError(
      'actions:not-supported',
      'this service cannot make a new key for a target',
      `Delete target ${id}, create it again (\`idport actions target create --signing-key-file=<file>\`), and set its executions again.`,
    );
  }
  const { signingKey = '' } = await change(rotation);
  if (signingKey !== '') return signingKey;
  throw new IdportError('actions:no-key', `the service gave no new signing key for target ${id}`);
}

/** Error ids for an unknown method and an unknown service. */
const unknownName: ReadonlySet<string> = new Set(['COMMAND-vysplsevt8', 'COMMAND-qu6dfhiioq']);

/** Calls with the condition. If the service does not know the name in it, calls again with the other brand in its package. */
async function underEitherName(
  condition: ConditionInput,
  call: (condition: ConditionInput) => Promise<unknown>,
) {
  const other = otherPackageName(condition);
  try {
    await call(condition);
  } catch (error) {
    if (other === undefined || !(error instanceof ApiError) || !unknownName.has(error.id ?? '')) throw error;
    await call(other).catch((second: unknown) => {
      // The error should show the name as it was given.
      throw second instanceof ApiError && unknownName.has(second.id ?? '') ? error : second;
    });
  }
}

/** Reports whether the service lacks the path. It also answers 404 for a missing target or condition, but with an error id. */
export function isUnknownPath(error: unknown) {
  return (
    error instanceof ApiError &&
    error.status === 404 &&
    error.id === undefined &&
    !/unable to set instance/i.test(error.text)
  );
}

function noActions(client: Client, asked: readonly Version[]) {
  const names = asked.map(({ generation }) => generation).join(', ');
  return new IdportError(
    'actions:none',
    `${client.url} has no actions API (asked for ${names})`,
    'Check --url and --api; the service may be older than actions, or the address is not its base.',
  );
}
