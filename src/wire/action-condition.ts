/** When an execution applies: a request, its response, a function or an event. All generations of the API share it. */
import type { z } from 'zod';
import { message, optionalFlag, optionalText, text } from './message.ts';

const name = () => optionalText({ min: 1, max: 1000 });

const all = () => optionalFlag({ check: (value) => (value === true ? undefined : 'value must equal true') });

const callFields = () => ({ method: name(), service: name(), all: all() });
const eventFields = { event: name(), group: name(), all: all() };
const oneof = (fullName: string, fields: object, oneofName = 'condition') => ({
  fullName: `zitadel.action.v2.${fullName}`,
  oneofs: [{ name: oneofName, members: Object.keys(fields), required: true }],
});

const kinds = {
  request: message('RequestExecution', callFields(), oneof('RequestExecution', callFields())).optional(),
  response: message('ResponseExecution', callFields(), oneof('ResponseExecution', callFields())).optional(),
  function: message('FunctionExecution', { name: text({ min: 1, max: 1000 }) }).optional(),
  event: message('EventExecution', eventFields, oneof('EventExecution', eventFields)).optional(),
};

/**
 * `{"request":{"method":"/zitadel.user.v2.UserService/AddHumanUser"}}`: one of `request`, `response` (each with one of
 * `method`, `service`, `all`), `function` (`name`), `event` (one of `event`, `group`, `all`).
 */
export const condition = message('Condition', kinds, oneof('Condition', kinds, 'condition_type'));
export type ConditionInput = z.input<typeof condition>;
export type Condition = z.output<typeof condition>;

export const executionTypes = [
  'EXECUTION_TYPE_UNSPECIFIED',
  'EXECUTION_TYPE_REQUEST',
  'EXECUTION_TYPE_RESPONSE',
  'EXECUTION_TYPE_EVENT',
  'EXECUTION_TYPE_FUNCTION',
] as const;
