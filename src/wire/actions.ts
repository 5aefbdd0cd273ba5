/** Targets, executions and their conditions: version 2, its beta, and the first generation (v3alpha). */
import { details, listResponse, pagination, paginationResponse, textMethod } from './details.ts';
import {
  choice,
  duration,
  durationUpTo,
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
 * A condition, for example `{"request":{"method":"/zitadel.user.v2.UserService/AddHumanUser"}}`.
 * It has one of `request`, `response` (each with one of `method`, `service`, `all`), `function` (`name`), `event` (one of
 * `event`, `group`, `all`).
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

/**
 * Splits a condition into its kind, the field that names what it is about (`method`, `service`, `name`, `event`, `group` or
 * `all`), and the name. Returns undefined for an empty condition.
 */
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

/** Longest timeout of a target, in seconds. */
export const longestTimeout = 270;

const timeout = durationUpTo(longestTimeout, '4m30s');

/** Message with only `interruptOnError`: whether a failed call fails the call that triggered it. */
const interrupting = (goName: string) => message(goName, { interruptOnError: flag });

/** How the service treats the response of a target: it checks the status, also reads the body, or ignores both. */
export const targetKinds = ['webhook', 'call', 'async'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** Fields of a target that all API generations share. */
export interface TargetBasics {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly kind: TargetKind;
  /** Whether a failed call fails the call that triggered it. An async target cannot do that. */
  readonly interruptOnError: boolean;
}

/** Fields for the type of a target. Exactly one is set; an update may leave all of them out. */
export const targetTypes = {
  restWebhook: interrupting('RESTWebhook'),
  restCall: interrupting('RESTCall'),
  restAsync: message('RESTAsync', {}),
};
const targetType = (required: boolean) => exclusive('target_type', targetTypes, required);

export type TargetTypes = Output<typeof targetTypes>;

/** Returns the kind of a target, or undefined if no type is set, as in an update that keeps the type. */
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
    timeout,
    endpoint: ruled(text, { min: 1, max: longestEndpoint }),
    payloadType: choice(payloadTypes),
  });
export const createTargetRequest = createTarget('v2', 2048);

/** The signing key verifies the signatures of calls to the target: `wire/signature.ts`. */
export const createTargetResponse = message('CreateTargetResponse', {
  id: text,
  creationDate: timestamp,
  signingKey: text,
});

/** Absent fields stay unchanged. `expirationSigningKey: "0s"` replaces the key at once. */
export const updateTargetRequest = message('zitadel.action.v2.UpdateTargetRequest', {
  id: shortText,
  name: optionalName,
  ...targetType(false),
  timeout,
  endpoint: ruled(optionalText, { min: 1, max: 2048 }),
  expirationSigningKey: ruled(duration, {
    check: (value) => (durationMs(String(value)) === 0 ? undefined : 'value must equal 0s'),
  }),
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

export const listTargetsRequest = message('ListTargetsRequest', {
  pagination,
  sortingColumn: choice([
    'TARGET_FIELD_NAME_UNSPECIFIED',
    'TARGET_FIELD_NAME_ID',
    'TARGET_FIELD_NAME_CREATED_DATE',
    'TARGET_FIELD_NAME_CHANGED_DATE',
    'TARGET_FIELD_NAME_NAME',
    'TARGET_FIELD_NAME_TARGET_TYPE',
    'TARGET_FIELD_NAME_URL',
    'TARGET_FIELD_NAME_TIMEOUT',
    'TARGET_FIELD_NAME_INTERRUPT_ON_ERROR',
  ]),
  filters: list(
    oneOf('zitadel.action.v2.TargetSearchFilter', 'filter', {
      targetNameFilter: message('TargetNameFilter', {
        targetName: textUpTo(200),
        method: textMethod('FILTER'),
      }),
      inTargetIdsFilter: message('InTargetIDsFilter', { targetIds: list(text) }),
    }),
  ),
});
export const listTargetsResponse = message('ListTargetsResponse', {
  pagination: paginationResponse,
  targets: list(target),
});

/** The target of `/v2beta/actions`, which has no payload type. */
const targetBeta = message('Target', targetFields);
/** Messages of `/v2beta/actions` that differ from `/v2/actions`, by method. */
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

/* Messages of the first generation (`/v3alpha`), which also returns the signing key of a new target, as the spec says. */

function uri(value: unknown) {
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

/** Either `{"target": "<id>"}`, or `{"include": <condition>}` for the targets of another execution. */
export const executionTarget = message(
  'zitadel.action.v3alpha.ExecutionTargetType',
  exclusive('type', { target: optionalText, include: condition }),
);

export const listExecutionsV3Response = listResponse(
  'ListExecutionsResponse',
  // The service writes `Condition`; later versions write `condition`, as in a request.
  message('Execution', {
    Condition: condition,
    condition,
    details,
    targets: list(executionTarget),
  }),
);
