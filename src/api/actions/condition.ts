/** Shows and compares conditions of executions, and translates between the two brands of package names. */
import { type ConditionInput, splitCondition } from '../../wire/actions.ts';

/** `request /zitadel.user.v2.UserService/AddHumanUser`, `event group user.human`, `response all`. */
export function describeCondition(condition: ConditionInput): string {
  const parts = splitCondition(condition);
  if (parts === undefined) return 'no condition';
  const { kind, by, name } = parts;
  if (by === 'all') return `${kind} all`;
  return by === 'service' || by === 'group' ? `${kind} ${by} ${name}` : `${kind} ${name}`;
}

/**
 * The same text for equal conditions: the brand in a method's package (`service.` or `zitadel.`), the slash before it and
 * the `.*` of a group are ignored.
 */
export function conditionKey(condition: ConditionInput): string {
  const parts = splitCondition(condition);
  if (parts === undefined) return '';
  const { kind, by, name } = parts;
  return `${kind}/${by}/${name.replace(/^\/?(?:service|zitadel)\.|^\/|\.\*$/g, '')}`;
}

/** `zitadel.user.v2.UserService` for `service.user.v2.UserService` and the other way round; undefined for others. */
export function otherPackageName(condition: ConditionInput): ConditionInput | undefined {
  const parts = splitCondition(condition);
  const [, slash, brand, rest] = /^(\/?)(service|zitadel)(\..*)$/s.exec(parts?.name ?? '') ?? [];
  if (parts === undefined || brand === undefined || !/^(?:method|service)$/.test(parts.by)) return undefined;
  return { [parts.kind]: { [parts.by]: `${slash}${brand === 'service' ? 'zitadel' : 'service'}${rest}` } };
}
