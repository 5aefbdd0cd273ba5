/**
 * Finds the first violated field rule of a message, in the service's wording (HTTP 400, code 3, no details):
 * `invalid ImportHumanUserRequest.UserName: value length must be between 1 and 200 runes, inclusive`.
 * Fields are checked in order, nested messages in depth; one invalid record refuses the whole body.
 */
import { countCharacters } from '../lib/field-rules.ts';
import { camelCase, capital } from './member-names.ts';
import { base64Bytes } from './scalars.ts';
import type { Field, FieldPlan, Message, MessagePlan, Output } from './message.ts';

/** Returns the text of the first violation, or undefined if all rules hold. */
export function violation<M extends Message>({ plan }: M, value: Output<M>): string | undefined {
  const values = value as Record<string, unknown>;
  for (const field of plan.fields) {
    const problem = checkField(plan, field, values[field.name]);
    if (problem !== undefined) return problem;
  }
  for (const oneof of plan.oneofs) {
    if (!oneof.required || oneof.members.some((name) => values[name] !== undefined)) continue;
    const goName = capital(camelCase(oneof.name));
    return `invalid ${plan.goName}.${goName}: value is required`;
  }
  return undefined;
}

function checkField(plan: MessagePlan, field: FieldPlan, value: unknown) {
  const say = (problem: string, place = '') =>
    `invalid ${plan.goName}.${capital(field.name)}${place}: ${problem}`;
  const { list } = field;
  if (list === undefined) {
    const problem = checkValue(field, value);
    return problem && say(problem);
  }
  const items = value as readonly unknown[];
  if (items.length < (list.min ?? 0)) return say(`value must contain at least ${list.min} item(s)`);
  if (items.length > (list.max ?? Infinity)) {
    return say(`value must contain no more than ${list.max} item(s)`);
  }
  for (let i = 0; i < items.length; i++) {
    const problem = checkValue(field, items[i]);
    if (problem !== undefined) return say(problem, `[${i}]`);
  }
  return undefined;
}

function checkValue(rule: Field, value: unknown) {
  if (rule.message !== undefined) {
    if (value === undefined) return rule.required ? 'value is required' : undefined;
    const inner = violation(rule.message, value);
    return inner && `embedded message failed validation | caused by: ${inner}`;
  }
  const isAbsent = value === undefined || (value === '' && rule.kind !== 'string');
  if (rule.optional && isAbsent) return undefined;
  return (typeof value === 'string' ? checkText(rule, value) : undefined) ?? rule.check?.(value);
}

function checkText(rule: Field, value: string) {
  const { min, max, maxBytes, prefix } = rule;
  const problem =
    rule.kind === 'bytes'
      ? checkLength(min, max, base64Bytes(value), 'bytes')
      : checkLength(min, max, runes(value, rule), 'runes');
  if (problem !== undefined) return problem;
  if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes)
    return checkLength(undefined, maxBytes, Infinity, 'bytes');
  if (prefix !== undefined && !value.startsWith(prefix)) return `value does not have prefix "${prefix}"`;
  return undefined;
}

function checkLength(min: number | undefined, max: number | undefined, length: number, unit: string) {
  if (length >= (min ?? 0) && length <= (max ?? Infinity)) return undefined;
  if (min !== undefined && max !== undefined)
    return `value length must be between ${min} and ${max} ${unit}, inclusive`;
  return max === undefined
    ? `value length must be at least ${min} ${unit}`
    : `value length must be at most ${max} ${unit}`;
}

/** Returns the number of code points, or the UTF-16 length if that is enough to decide. */
function runes(value: string, rule: Field) {
  if (value.length <= (rule.max ?? Infinity) && value.length >= (rule.min ?? 0) * 2) return value.length;
  return countCharacters(value);
}

/** Returns the rule that a message breaks, or the place of a text that the service cannot store, or undefined. */
export function brokenRule<M extends Message>(message: M, value: Output<M>): string | undefined {
  const broken = violation(message, value);
  if (broken !== undefined) return innermost(broken);
  const nul = findNul(value);
  return nul && `${nul} has a NUL character`;
}

/** Returns the last of nested violations, which is the error. The others only say where it is. */
export function innermost(text: string) {
  return text.split('caused by: ').at(-1) ?? text;
}

/** Returns the path to a text with a NUL character, which the database of the service cannot store; empty for the value itself. */
function findNul(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? '' : undefined;
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) return undefined;
  for (const key in value) {
    const found = findNul((value as Record<string, unknown>)[key]);
    if (found !== undefined) return found === '' ? key : `${key}.${found}`;
  }
  return undefined;
}
