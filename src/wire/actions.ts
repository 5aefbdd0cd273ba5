/** Targets, executions and their conditions, of version 2 and of the first generation (v3alpha). */
import { details, listResponse, pagination, paginationResponse, textMethod } from './details.ts';
import {
  choice,
  duration,
  exclusive,
  flag,
  type Input,
  list,
  message,
  oneOf,
  onlyTrue,
  optionalShortText,
  optionalText,
  type Output,
  positiveDuration,
  ruled,
  shortText,
  text,
  textUpTo,
  timestamp,
} from './message.ts';
import { durationMs, formatDuration } from './scalars.ts';

const name = ruled(text, { min: 1, max: 1000 });
const optionalName = ruled(optionalText, { min: 1, max: 1000 });
const all = onlyTrue;

const call = (fullName: string) =>
  oneOf(fullName, 'condition', { method: optionalName, service: optionalName, all });

/**
 * `{"request":{"method":"/zitadel.user.v2.UserService/AddHumanUser"}}`: one of `request`, `response` (each with one of
 * `method`, `service`, `all`), `function` (`name`), `event` (one of `event`, `group`, `all`).
 */
export const condition = oneOf('zitadel.action.v2.Condition', 'condition_type', {
  request: call('zitadel.action.v2.RequestExecution'),
  response: call('zitadel.action.v2.ResponseExecution'),
  function: message('FunctionExecution', { name }),
  event: oneOf('zitadel.action.v2.EventExecution', 'condition', {
    event: optionalName,
    group: optionalName,
    all,
  }),
});
export type ConditionInput = Input<typeof condition>;
export type Condition = Output<typeof condition>;

/** What a condition is about and by which kind of name: `method`, `service`, `name`, `event`, `group`, or `all`. */
export function splitCondition(condition: ConditionInput) {
  for (const kind of ['request', 'response', 'function', 'event'] as const) {
    if (condition[kind] === undefined) continue;
    const named = Object.entries(condition[kind]).find(([, value]) => value !== undefined && value !== false);
    const [by = '', value] = named ?? [];
    return { kind, by, name: typeof value === 'string' ? value : '' };
  }
  return undefined;
}

export const executionTypes = [
  'EXECUTION_TYPE_UNSPECIFIED',
  'EXECUTION_TYPE_REQUEST',
  'EXECUTION_TYPE_RESPONSE',
  'EXECUTION_TYPE_EVENT',
  'EXECUTION_TYPE_FUNCTION',
] as const;

/** Seconds; a target may take no longer. */
export const longestTimeout = 270;

function withinTimeout(value: unknown): string | undefined {
  const ms = durationMs(String(value));
  return ms < 0 || ms > longestTimeout * 1000 ? 'value must be inside range [0s, 4m30s]' : undefined;
}
const isZero = (value: unknown): string | undefined =>
  durationMs(String(value)) === 0 ? undefined : 'value must equal 0s';

/** `interruptOnError`: a failed call fails the call that triggered it. */
const interrupting = (goName: string) => message(goName, { interruptOnError: flag });

/** How the receiver's response is treated: only its status, its body too, or not at all. */
export const targetKinds = ['webhook', 'call', 'async'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** The fields of a target that all generations share. */
export interface TargetBasics {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly kind: TargetKind;
  /** Whether a failed call fails the call that triggered it; an async target cannot. */
  readonly interruptOnError: boolean;
}

/** Exactly one is set. */
export const targetTypes = {
  restWebhook: interrupting('RESTWebhook'),
  restCall: interrupting('RESTCall'),
  restAsync: message('RESTAsync', {}),
};
const targetType = (required: boolean) => exclusive('target_type', targetTypes, required);

export type TargetTypes = Output<typeof targetTypes>;

/** Undefined where a change leaves it as it is. */
export function readKind({
  restWebhook,
  restCall,
  restAsync,
}: TargetTypes): Pick<TargetBasics, 'kind' | 'interruptOnError'> | undefined {
  if (restWebhook !== undefined) return { kind: 'webhook', ...restWebhook };
  if (restCall !== undefined) return { kind: 'call', ...restCall };
  return restAsync && { kind: 'async', interruptOnError: false };
}

export const writeBasics = ({ name, endpoint, timeoutMs, kind, interruptOnError }: TargetBasics) => ({
  name,
  endpoint,
  timeout: formatDuration(timeoutMs),
  ...(kind === 'webhook' && { restWebhook: { interruptOnError } }),
  ...(kind === 'call' && { restCall: { interruptOnError } }),
  ...(kind === 'async' && { restAsync: {} }),
});

const payloadTypes = [
  'PAYLOAD_TYPE_UNSPECIFIED',
  'PAYLOAD_TYPE_JSON',
  'PAYLOAD_TYPE_JWT',
  'PAYLOAD_TYPE_JWE',
] as const;
export type PayloadType = (typeof payloadTypes)[number];

const createTarget = (version: string, longestEndpoint: number) =>
  message(`zitadel.action.${version}.CreateTargetRequest`, {
    name,
    ...targetType(true),
    timeout: ruled(duration, { check: withinTimeout }),
    endpoint: ruled(text, { min: 1, max: longestEndpoint }),
    payloadType: choice(payloadTypes),
  });
export const createTargetRequest = createTarget('v2', 2048);

/** The key verifies the signatures of the calls: `wire/signature.ts`. */
export const createTargetResponse = message('CreateTargetResponse', {
  id: text,
  creationDate: timestamp,
  signingKey: text,
});

/** What is absent stays as it is. `expirationSigningKey: "0s"` makes a new key at once. */
export const updateTargetRequest = message('zitadel.action.v2.UpdateTargetRequest', {
  id: shortText,
  name: optionalName,
  ...targetType(false),
  timeout: ruled(duration, { check: withinTimeout }),
  endpoint: ruled(optionalText, { min: 1, max: 2048 }),
  expirationSigningKey: ruled(duration, { check: isZero }),
  payloadType: choice(payloadTypes),
});
export const updateTargetResponse = message('UpdateTargetResponse', {
  changeDate: timestamp,
  signingKey: optionalText,
});

const targetFields = {
  id: text,
  creationDate: timestamp,
  changeDate: timestamp,
  name: text,
  ...targetTypes,
  timeout: duration,
  endpoint: text,
  signingKey: text,
};
export const target = message('Target', { ...targetFields, payloadType: choice(payloadTypes) });
export type Target = Output<typeof target>;
export const getTargetResponse = message('GetTargetResponse', { target });

const targetFilters = {
  targetNameFilter: message('TargetNameFilter', {
    targetName: textUpTo(200),
    method: textMethod('FILTER'),
  }),
  inTargetIdsFilter: message('InTargetIDsFilter', { targetIds: list(text) }),
};

const targetFieldNames = [
  'TARGET_FIELD_NAME_UNSPECIFIED',
  'TARGET_FIELD_NAME_ID',
  'TARGET_FIELD_NAME_CREATED_DATE',
  'TARGET_FIELD_NAME_CHANGED_DATE',
  'TARGET_FIELD_NAME_NAME',
  'TARGET_FIELD_NAME_TARGET_TYPE',
  'TARGET_FIELD_NAME_URL',
  'TARGET_FIELD_NAME_TIMEOUT',
  'TARGET_FIELD_NAME_INTERRUPT_ON_ERROR',
] as const;

export const listTargetsRequest = message('ListTargetsRequest', {
  pagination,
  sortingColumn: choice(targetFieldNames),
  filters: list(oneOf('zitadel.action.v2.TargetSearchFilter', 'filter', targetFilters)),
});
export const listTargetsResponse = message('ListTargetsResponse', {
  pagination: paginationResponse,
  targets: list(target),
});

/** Where `/v2beta/actions` differs from `/v2/actions`, by method. */
const targetBeta = message('Target', targetFields);
export const betaMessages = {
  CreateTarget: { request: createTarget('v2beta', 1000) },
  GetTarget: { response: message('GetTargetResponse', { target: targetBeta }) },
  ListTargets: {
    response: message('ListTargetsResponse', { pagination: paginationResponse, targets: list(targetBeta) }),
  },
};

export const execution = message('Execution', {
  condition,
  creationDate: timestamp,
  changeDate: timestamp,
  targets: list(text),
});
export const listExecutionsResponse = message('ListExecutionsResponse', {
  pagination: paginationResponse,
  executions: list(execution),
});

/** The names that conditions may use; the same in all generations. */
export const listFunctionsResponse = message('ListExecutionFunctionsResponse', { functions: list(text) });
export const listMethodsResponse = message('ListExecutionMethodsResponse', { methods: list(text) });
export const listServicesResponse = message('ListExecutionServicesResponse', { services: list(text) });

/* The first generation (`/v3alpha`), with the signing key in the response as the spec has it. */

function uri(value: unknown): string | undefined {
  const text = String(value);
  if (!URL.canParse(text, 'http://base')) return 'value must be a valid URI';
  return URL.canParse(text) ? undefined : 'value must be absolute';
}

export const createTargetV3Request = message('zitadel.action.v3alpha.CreateTargetRequest', {
  name: shortText,
  ...targetType(true),
  timeout: positiveDuration,
  endpoint: ruled(text, { min: 1, max: 1000, check: uri }),
});

export const updateTargetV3Request = message('zitadel.action.v3alpha.UpdateTargetRequest', {
  targetId: shortText,
  name: optionalShortText,
  ...targetType(false),
  timeout: positiveDuration,
  endpoint: ruled(optionalText, { max: 1000, check: uri }),
});

const targetV3 = message('Target', {
  targetId: text,
  details,
  name: text,
  ...targetTypes,
  timeout: duration,
  endpoint: text,
});
export type TargetV3 = Output<typeof targetV3>;
export const getTargetV3Response = message('GetTargetByIDResponse', { target: targetV3 });

export const listTargetsV3Response = listResponse('ListTargetsResponse', targetV3);

/** `{"target": "<id>"}`, or `{"include": <condition>}` for the targets of another execution. */
const executionTarget = message(
  'zitadel.action.v3alpha.ExecutionTargetType',
  exclusive('type', { target: optionalText, include: condition }),
);

export const setExecutionV3Request = message('SetExecutionRequest', {
  condition,
  targets: list(executionTarget),
});
export type SetExecutionV3 = Output<typeof setExecutionV3Request>;

/** So spelled by the service; by later ones as in a request. */
const executionV3 = message('Execution', {
  Condition: condition,
  condition,
  details,
  targets: list(executionTarget),
});
export const listExecutionsV3Response = listResponse('ListExecutionsResponse', executionV3);
