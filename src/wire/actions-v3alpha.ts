/**
 * Targets and executions of the first generation (`/v3alpha/...`), with the signing key in the
 * response as the spec has it.
 */
import { condition, executionTypes, targetTypeOneof, targetTypes } from './actions.ts';
import { listDetails, listResponse, details, textQuery, query } from './details.ts';
import {
  type Output,
  shortText,
  optionalText,
  optionalShortText,
  duration,
  choice,
  list,
  message,
  oneOf,
  ruled,
  text,
} from './message.ts';
import { durationMs } from './scalars.ts';

const positive = (value: unknown): string | undefined =>
  durationMs(String(value)) > 0 ? undefined : 'value must be greater than 0s';

function uri(value: unknown): string | undefined {
  const text = String(value);
  if (!URL.canParse(text, 'http://base')) return 'value must be a valid URI';
  return URL.canParse(text) ? undefined : 'value must be absolute';
}

export const createTargetV3Request = message(
  'CreateTargetRequest',
  {
    name: shortText,
    ...targetTypes,
    timeout: ruled(duration, { check: positive }),
    endpoint: ruled(text, { min: 1, max: 1000, check: uri }),
  },
  targetTypeOneof('zitadel.action.v3alpha.CreateTargetRequest', true),
);

export const updateTargetV3Request = message(
  'UpdateTargetRequest',
  {
    targetId: shortText,
    name: optionalShortText,
    ...targetTypes,
    timeout: ruled(duration, { check: positive }),
    endpoint: ruled(optionalText, { max: 1000, check: uri }),
  },
  targetTypeOneof('zitadel.action.v3alpha.UpdateTargetRequest', false),
);

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

const targetQueries = {
  targetNameQuery: textQuery('TargetNameQuery', 'targetName'),
  inTargetIdsQuery: message('InTargetIDsQuery', { targetIds: list(text) }),
};
const targetFieldNamesV3 = [
  'FIELD_NAME_UNSPECIFIED',
  'FIELD_NAME_ID',
  'FIELD_NAME_CREATION_DATE',
  'FIELD_NAME_CHANGE_DATE',
  'FIELD_NAME_NAME',
  'FIELD_NAME_TARGET_TYPE',
  'FIELD_NAME_URL',
  'FIELD_NAME_TIMEOUT',
  'FIELD_NAME_ASYNC',
  'FIELD_NAME_INTERRUPT_ON_ERROR',
] as const;
export const listTargetsV3Request = message('ListTargetsRequest', {
  query,
  sortingColumn: choice(targetFieldNamesV3),
  queries: list(oneOf('zitadel.action.v3alpha.TargetSearchQuery', 'query', targetQueries)),
});
export const listTargetsV3Response = message('ListTargetsResponse', {
  details: listDetails,
  sortingColumn: choice(targetFieldNamesV3),
  result: list(targetV3),
});

/** `{"target": "<id>"}`, or `{"include": <condition>}` for the targets of another execution. */
const executionTarget = message(
  'ExecutionTargetType',
  { target: optionalText, include: condition },
  {
    fullName: 'zitadel.action.v3alpha.ExecutionTargetType',
    oneofs: [{ name: 'type', members: ['target', 'include'] }],
  },
);

export const setExecutionV3Request = message('SetExecutionRequest', {
  condition,
  targets: list(executionTarget),
});
export type SetExecutionV3 = Output<typeof setExecutionV3Request>;

const executionV3 = message('Execution', {
  condition,
  details,
  targets: list(executionTarget),
});
const executionQueries = {
  inConditionsQuery: message('InConditionsQuery', { conditions: list(condition) }),
  executionTypeQuery: message('ExecutionTypeQuery', { executionType: choice(executionTypes) }),
  targetQuery: message('TargetQuery', { targetId: text }),
  includeQuery: message('IncludeQuery', { include: text }),
};
export const listExecutionsV3Request = message('ListExecutionsRequest', {
  query,
  queries: list(oneOf('zitadel.action.v3alpha.SearchQuery', 'query', executionQueries)),
});
export const listExecutionsV3Response = listResponse('ListExecutionsResponse', executionV3);
