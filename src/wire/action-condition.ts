/** When an execution applies: a request, its response, a function or an event. All generations of the API share it. */
import type { z } from 'zod';
import { message, optionalFlag, optionalText, text } from './message.ts';

const name = () => optionalText({ min: 1, max: 1000 });

const callFields = () => ({ method: name(), service: name(), all: optionalFlag() });
const eventFields = { event: name(), group: name(), all: optionalFlag() };
const oneof = (fullName: string, fields: object, required = false) => ({
  fullName: `zitadel.action.v2.${fullName}`,
  oneofs: [
    {
      name: required ? 'condition_type' : 'condition',
      members: Object.keys(fields),
      ...(required ? { required } : {}),
    },
  ],
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
export const condition = message('Condition', kinds, oneof('Condition', kinds, true));
export type ConditionInput = z.input<typeof condition>;
export type Condition = z.output<typeof condition>;

export const executionTypes = [
  'EXECUTION_TYPE_UNSPECIFIED',
  'EXECUTION_TYPE_REQUEST',
  'EXECUTION_TYPE_RESPONSE',
  'EXECUTION_TYPE_EVENT',
  'EXECUTION_TYPE_FUNCTION',
] as const;
