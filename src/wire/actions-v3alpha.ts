/**
 * Targets and executions of the first generation (`/v3alpha/...`), with the signing key in the
 * response as the spec has it.
 */
import type { z } from 'zod';
import { condition, executionTypes } from './action-condition.ts';
import { targetTypeOneof, targetTypes } from './actions.ts';
import { listDetails, listResponse, details, textQuery, query } from './details.ts';
import {
  choice,
  duration,
  list,
  message,
  optionalText,
  text,
  oneOf,
  shortText,
  optionalShortText,
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
    name: shortText(),
    ...targetTypes,
    timeout: duration({ check: positive }),
    endpoint: text({ min: 1, max: 1000, check: uri }),
  },
  targetTypeOneof('zitadel.action.v3alpha.CreateTargetRequest', true),
);

export const createTargetV3Response = message('CreateTargetResponse', {
  id: text(),
  details,
  signingKey: text(),
});

export const updateTargetV3Request = message(
  'UpdateTargetRequest',
  {
    targetId: shortText(),
    name: optionalShortText(),
    ...targetTypes,
    timeout: duration({ check: positive }),
    endpoint: optionalText({ max: 1000, check: uri }),
  },
  targetTypeOneof('zitadel.action.v3alpha.UpdateTargetRequest', false),
);

const targetV3 = message('Target', {
  targetId: text(),
  details,
  name: text(),
  ...targetTypes,
  timeout: duration(),
  endpoint: text(),
});
export type TargetV3 = z.output<typeof targetV3>;
export const getTargetV3Response = message('GetTargetByIDResponse', { target: targetV3.optional() });

const targetQueries = {
  targetNameQuery: textQuery('TargetNameQuery', 'targetName'),
  inTargetIdsQuery: message('InTargetIDsQuery', { targetIds: list(text()) }).optional(),
};
export const targetFieldNamesV3 = [
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
  details: listDetails.optional(),
  sortingColumn: choice(targetFieldNamesV3),
  result: list(targetV3),
});

/** `{"target": "<id>"}`, or `{"include": <condition>}` for the targets of another execution. */
const executionTarget = message(
  'ExecutionTargetType',
  { target: optionalText(), include: condition.optional() },
  {
    fullName: 'zitadel.action.v3alpha.ExecutionTargetType',
    oneofs: [{ name: 'type', members: ['target', 'include'] }],
  },
);

export const setExecutionV3Request = message('SetExecutionRequest', {
  condition: condition.optional(),
  targets: list(executionTarget),
});
export type SetExecutionV3 = z.output<typeof setExecutionV3Request>;
export const deleteExecutionV3Request = message('DeleteExecutionRequest', {
  condition: condition.optional(),
});

const executionV3 = message('Execution', {
  condition: condition.optional(),
  details,
  targets: list(executionTarget),
});
const executionQueries = {
  inConditionsQuery: message('InConditionsQuery', { conditions: list(condition) }).optional(),
  executionTypeQuery: message('ExecutionTypeQuery', { executionType: choice(executionTypes) }).optional(),
  targetQuery: message('TargetQuery', { targetId: text() }).optional(),
  includeQuery: message('IncludeQuery', { include: text() }).optional(),
};
export const listExecutionsV3Request = message('ListExecutionsRequest', {
  query,
  queries: list(oneOf('zitadel.action.v3alpha.SearchQuery', 'query', executionQueries)),
});
export const listExecutionsV3Response = listResponse('ListExecutionsResponse', executionV3);
