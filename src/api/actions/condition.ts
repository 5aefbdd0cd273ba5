/** A condition in, a text for people or a key for comparison out. */
import type { ConditionInput } from '../../wire/action-condition.ts';

type Kind = 'request' | 'response' | 'function' | 'event';

interface Parts {
  readonly kind: Kind;
  /** What is named, and how: `method`, `service`, `name`, `event`, `group`, or `all`. */
  readonly by: string;
  readonly name: string;
}

/** `request /service.user.v2.UserService/AddHumanUser`, `event group user.human`, `response all`. */
export function describeCondition(condition: ConditionInput): string {
  const parts = split(condition);
  if (parts === undefined) return 'no condition';
  const { kind, by, name } = parts;
  if (by === 'all') return `${kind} all`;
  return by === 'service' || by === 'group' ? `${kind} ${by} ${name}` : `${kind} ${name}`;
}

/**
 * Equal for conditions that mean the same: the brand in a method's package (`service.` and `zitadel.`) and the slash
 * before it do not count.
 */
export function conditionKey(condition: ConditionInput): string {
  const parts = split(condition);
  if (parts === undefined) return '';
  return `${parts.kind}/${parts.by}/${parts.name.replace(/^\/?(?:service|zitadel)\./, '').replace(/^\//, '')}`;
}

function split(condition: ConditionInput): Parts | undefined {
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
