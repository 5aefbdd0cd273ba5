/** When an execution applies: a request, its response, a function or an event. All generations of the API share it. */
import {
  type Input,
  type Output,
  message,
  oneOf,
  optionalFlag,
  optionalText,
  ruled,
  text,
} from './message.ts';

const name = ruled(text, { min: 1, max: 1000 });
const optionalName = ruled(optionalText, { min: 1, max: 1000 });
const all = ruled(optionalFlag, { check: (value) => (value === true ? undefined : 'value must equal true') });

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

export const executionTypes = [
  'EXECUTION_TYPE_UNSPECIFIED',
  'EXECUTION_TYPE_REQUEST',
  'EXECUTION_TYPE_RESPONSE',
  'EXECUTION_TYPE_EVENT',
  'EXECUTION_TYPE_FUNCTION',
] as const;
