/** Shows and compares conditions of executions, and translates between the two brands of package names. */
import { type ConditionInput, splitCondition } from '../../wire/actions.ts';

/** Formats a condition: `request /zitadel.user.v2.UserService/AddHumanUser`, `event group user.human`, `response all`. */
export function describeCondition(condition: ConditionInput) {
  const parts = splitCondition(condition);
  if (parts === undefined) return 'no condition';
  const { kind, by, name } = parts;
  if (by === 'all') return `${kind} all`;
  return by === 'service' || by === 'group' ? `${kind} ${by} ${name}` : `${kind} ${name}`;
}

/**
 * Returns the same text for equal conditions. It ignores the brand in a method's package (`service.` or `zitadel.`), the slash
 * before it and the `.*` of a group.
 */
export function conditionKey(condition: ConditionInput) {
  const parts = splitCondition(condition);
  if (parts === undefined) return '';
  const { kind, by, name } = parts;
  return `${kind}/${by}/${name.replace(/^\/?(?:service|zitadel)\.|^\/|\.\*$/g, '')}`;
}

/**
 * Replaces `service.user.v2.UserService` by `zitadel.user.v2.UserService`, and the other way round. Returns undefined for other
 * names.
 */
export function otherPackageName(condition: ConditionInput): ConditionInput | undefined {
  const parts = splitCondition(condition);
  const [, slash, brand, rest] = /^(\/?)(service|zitadel)(\..*)$/s.exec(parts?.name ?? '') ?? [];
  if (parts === undefined || brand === undefined || !/^(?:method|service)$/.test(parts.by)) return undefined;
  return { [parts.kind]: { [parts.by]: `${slash}${brand === 'service' ? 'zitadel' : 'service'}${rest}` } };
}
