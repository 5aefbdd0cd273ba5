/** Targets and executions in idport, and how each version of the actions API reads and writes them. */
import {
  type ConditionInput,
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
import { encode } from '../../wire/codec.ts';
import { durationMs } from '../../wire/scalars.ts';
import { IdportError } from '../../errors.ts';
import type { Answer } from '../send.ts';

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

export type Version = typeof v2 | typeof v3alpha;

export const v2 = {
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
export const v3alpha = {
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
