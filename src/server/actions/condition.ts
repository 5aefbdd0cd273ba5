/** The id of the execution that a condition belongs to, and whether what it names is there. */
import type { Condition } from '../../wire/action-condition.ts';
import { refusal } from '../errors.ts';
import { canonicalName, hasEvent, hasEventGroup, hasFunction, type MethodNames } from './names.ts';

/**
 * `request/zitadel.user.v2.UserService/AddHumanUser`, `request/<service>`, `request`; `response` alike;
 * `function/<name>`; `event/<type>`, `event/<group>.*`, `event`. Names are not looked up.
 */
export function conditionId(condition: Condition | undefined): string {
  const { request, response, event } = condition ?? {};
  if (request !== undefined) return callId('request', request);
  if (response !== undefined) return callId('response', response);
  if (condition?.function !== undefined) return `function/${condition.function.name}`;
  if (event === undefined) throw refusal('ACTION-5r5Ju');
  if (event.event !== undefined) return `event/${event.event}`;
  if (event.group !== undefined) return `event/${event.group.replace(/(?:\.\*)?$/, '.*')}`;
  if (event.all !== true) throw refusal('COMMAND-w5smb6v7qu');
  return 'event';
}

function callId(kind: 'request' | 'response', call: NonNullable<Condition['request']>): string {
  if (call.method !== undefined) return `${kind}/${canonicalName(call.method).replace(/^\//, '')}`;
  if (call.service !== undefined) return `${kind}/${canonicalName(call.service)}`;
  if (call.all !== true) throw refusal('COMMAND-3tkej630e6');
  return kind;
}

/** Throws the 404 of the service when the condition names something that it does not have. */
export function requireKnownNames(condition: Condition, names: MethodNames): void {
  const call = condition.request ?? condition.response;
  if (call?.method !== undefined && !names.hasMethod(call.method)) throw refusal('COMMAND-vysplsevt8');
  if (call?.service !== undefined && !names.hasService(call.service)) throw refusal('COMMAND-qu6dfhiioq');
  if (condition.function !== undefined && !hasFunction(condition.function.name)) {
    throw refusal('COMMAND-cdy39t0ksr');
  }
  const { event, group } = condition.event ?? {};
  if (event !== undefined && !hasEvent(event)) throw refusal('COMMAND-74aaqj8fv9');
  if (group !== undefined && !hasEventGroup(group)) throw refusal('COMMAND-er5oneb5lz');
}
