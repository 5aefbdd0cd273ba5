/** Shows and compares conditions of executions, and translates between the two brands of package names. */
import type { ConditionInput } from '../../wire/actions.ts';

/** `request /zitadel.user.v2.UserService/AddHumanUser`, `event group user.human`, `response all`. */
export function describeCondition(condition: ConditionInput): string {
  const parts = split(condition);
  if (parts === undefined) return 'no condition';
  const { kind, by, name } = parts;
  if (by === 'all') return `${kind} all`;
  return by === 'service' || by === 'group' ? `${kind} ${by} ${name}` : `${kind} ${name}`;
}

/**
 * The same text for equal conditions: the brand in a method's package (`service.` or `zitadel.`) and the slash before
 * it are ignored.
 */
export function conditionKey(condition: ConditionInput): string {
  const parts = split(condition);
  if (parts === undefined) return '';
  return `${parts.kind}/${parts.by}/${parts.name.replace(/^\/?(?:service|zitadel)\./, '').replace(/^\//, '')}`;
}

/** `zitadel.user.v2.UserService` for `service.user.v2.UserService` and the other way round; undefined for others. */
export function otherPackageName(condition: ConditionInput): ConditionInput | undefined {
  const parts = split(condition);
  const [, slash, brand, rest] = /^(\/?)(service|zitadel)(\..*)$/s.exec(parts?.name ?? '') ?? [];
  if (parts === undefined || brand === undefined || !/^(?:method|service)$/.test(parts.by)) return undefined;
  return { [parts.kind]: { [parts.by]: `${slash}${brand === 'service' ? 'zitadel' : 'service'}${rest}` } };
}

/** `by` is the kind of name: `method`, `service`, `name`, `event`, `group`, or `all`. */
function split(condition: ConditionInput) {
  for (const kind of ['request', 'response', 'function', 'event'] as const) {
    const fields = condition[kind];
    if (fields === undefined) continue;
    for (const [by, value] of Object.entries(fields)) {
      if (by === 'all' ? value === true : value !== undefined) {
        return { kind, by, name: value === true ? '' : String(value) };
      }
    }
  }
  return undefined;
}
