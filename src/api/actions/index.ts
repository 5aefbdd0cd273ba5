/** The actions API of a service, in either generation and with either brand of package names. */
import { IdportError } from '../../errors.ts';
import { ApiError } from '../api-error.ts';
import {
  type ConditionInput,
  createTargetResponse,
  updateTargetResponse,
  createTargetRequest,
  getTargetResponse,
  listExecutionsResponse,
  listTargetsResponse,
  readKind,
  type Target,
  writeBasics,
  type Condition,
  type TargetBasics,
  createTargetV3Request,
  getTargetV3Response,
  listExecutionsV3Response,
  listTargetsV3Response,
  type TargetV3,
} from '../../wire/actions.ts';
import { type Client, get, search } from '../client.ts';
import type { Answer } from '../send.ts';
import { otherPackageName } from './condition.ts';
import { encode } from '../../wire/codec.ts';
import { durationMs } from '../../wire/scalars.ts';

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
const unknownName = new Set(['COMMAND-vysplsevt8', 'COMMAND-qu6dfhiioq']);

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
    'The service may be older than actions, or the address is not its base. Check --url and --api.',
  );
}

/** Generations of the actions API, newest first. */
export const generations = ['v2', 'v3alpha'] as const;
export type Generation = (typeof generations)[number];

const payloadNames = {
  json: 'PAYLOAD_TYPE_JSON',
  jwt: 'PAYLOAD_TYPE_JWT',
  jwe: 'PAYLOAD_TYPE_JWE',
} as const;
type PayloadForm = keyof typeof payloadNames;

export interface TargetSettings extends TargetBasics {
  readonly payload: PayloadForm;
}

export interface RegisteredTarget extends TargetSettings {
  readonly id: string;
  /** RFC 3339, or empty if the service does not return it. */
  readonly createdAt: string;
  readonly changedAt: string;
  /** Secret. Undefined if the service does not return it again. */
  readonly signingKey: string | undefined;
}

export interface RegisteredExecution {
  readonly condition: Condition;
  /** Ids in the order in which the targets are called. */
  readonly targets: readonly string[];
  /** Executions whose targets are called as well. Only the first generation has them. */
  readonly includes: readonly Condition[];
}

const read = <From, To>(answer: Answer<From>, as: (read: From) => To): Answer<To> => ({
  parse: (value) => as(answer.parse(value)),
});

type Version = typeof v2 | typeof v3alpha;

const v2 = {
  generation: 'v2',
  base: '/v2/actions',
  /** Member of a search request that has the paging. */
  page: 'pagination',
  /** Returns the body that creates or changes a target. Throws if this version has no such target. */
  write: (settings: TargetSettings) =>
    encode(createTargetRequest, { ...writeBasics(settings), payloadType: payloadNames[settings.payload] }),
  change: 'POST',
  /** Change that creates a new signing key; undefined if there is none. */
  rotation: { expirationSigningKey: '0s' },
  target: read(getTargetResponse, ({ target }) => target && readTarget(target)),
  targets: read(listTargetsResponse, ({ targets, pagination }) => ({
    entries: targets.map(readTarget),
    total: pagination?.totalResult,
  })),
  executions: read(listExecutionsResponse, ({ executions, pagination }) => ({
    entries: executions.map(({ condition = {}, targets }): RegisteredExecution => ({
      condition,
      targets,
      includes: [],
    })),
    total: pagination?.totalResult,
  })),
  /** Writes a target of an execution. */
  entry: (targetId: string): unknown => targetId,
  /** Returns the call that removes all targets of a condition. */
  clear: (condition: ConditionInput) => ({ method: 'PUT', body: { targets: [], condition } }) as const,
} as const;

/** Absent and unknown payload types count as JSON. */
function readTarget(target: Target): RegisteredTarget {
  const forms = Object.keys(payloadNames) as PayloadForm[];
  return {
    ...readSettings(target),
    id: target.id,
    payload: forms.find((form) => payloadNames[form] === target.payloadType) ?? 'json',
    createdAt: target.creationDate,
    changedAt: target.changeDate,
    signingKey: target.signingKey || undefined,
  };
}

/** The first generation. Targets of an execution are objects, and payloads are plain JSON only. */
const v3alpha = {
  generation: 'v3alpha',
  base: '/v3alpha',
  page: 'query',
  write: (settings: TargetSettings) => {
    if (settings.payload === 'json') return encode(createTargetV3Request, writeBasics(settings));
    throw new IdportError(
      'actions:not-supported',
      'this service sends payloads as plain JSON only',
      'Leave --payload away.',
    );
  },
  change: 'PUT',
  rotation: undefined,
  target: read(getTargetV3Response, ({ target }) => target && readTargetV3(target)),
  targets: read(listTargetsV3Response, ({ result, details }) => ({
    entries: result.map(readTargetV3),
    total: details?.totalResult,
  })),
  executions: read(listExecutionsV3Response, ({ result, details }) => ({
    entries: result.map(({ Condition: capital = {}, condition = capital, targets }): RegisteredExecution => ({
      condition,
      targets: targets.flatMap(({ target }) => target ?? []),
      includes: targets.flatMap(({ include }) => include ?? []),
    })),
    total: details?.totalResult,
  })),
  entry: (target: string): unknown => ({ target }),
  clear: (condition: ConditionInput) => ({ method: 'DELETE', body: { condition } }) as const,
} as const;

const readTargetV3 = (target: TargetV3): RegisteredTarget => ({
  ...readSettings(target),
  id: target.targetId,
  payload: 'json',
  createdAt: target.details?.creationDate ?? '',
  changedAt: target.details?.changeDate ?? '',
  signingKey: undefined,
});

const readSettings = (target: Target | TargetV3) => ({
  name: target.name,
  endpoint: target.endpoint,
  timeoutMs: durationMs(target.timeout),
  ...(readKind(target) ?? { kind: 'webhook', interruptOnError: false }),
});
