/** Prepares a message once for decoding, validation, encoding and sizing: its fields by name, their kinds and zeros. */
import type { z } from 'zod';
import { fieldRuleOf, listRuleOf, messageRuleOf } from './message.ts';
import type { FieldRule, Kind, MessageRule } from './message.ts';
import { snakeCase } from './member-names.ts';

export interface FieldPlan {
  /** lowerCamelCase, the key on the way out. */
  readonly name: string;
  readonly goName: string;
  /** Place in the message, from 0. */
  readonly index: number;
  readonly kind: Kind;
  readonly repeated: boolean;
  readonly rule: FieldRule;
  readonly listRule: Partial<FieldRule> | undefined;
  /** The message's plan where the kind is `message`. */
  readonly message: MessagePlan | undefined;
  /** Place of its oneof in the message, or -1. */
  readonly oneof: number;
  /** What an absent field reads as. */
  readonly zero: unknown;
}

export interface MessagePlan {
  readonly rule: MessageRule;
  readonly fields: FieldPlan[];
  /** By lowerCamelCase and by snake_case. */
  readonly byName: Map<string, FieldPlan>;
  /** All fields at their zero: copied for every decoded message, so that all have one shape. */
  readonly empty: Record<string, unknown>;
}

type Schema = z.core.$ZodType;
interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly shape?: Record<string, Schema>;
  readonly getter?: () => Schema;
}

const plans = new WeakMap<Schema, MessagePlan>();
const noItems: readonly unknown[] = Object.freeze([]);

const definitionOf = (schema: Schema): Definition => (schema as z.ZodType).def;

/** The plan of a message; throws a TypeError for a schema that `message()` did not make. */
export function planOf(schema: Schema): MessagePlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const rule = messageRuleOf(schema);
  const shape = definitionOf(schema).shape;
  if (rule === undefined || shape === undefined) throw new TypeError('not a message of wire/');
  const plan: MessagePlan = { rule, fields: [], byName: new Map(), empty: {} };
  plans.set(schema, plan);
  for (const name of Object.keys(shape)) addField(plan, name, shape[name]!);
  return plan;
}

function addField(plan: MessagePlan, name: string, schema: Schema): void {
  const found = unwrap(schema);
  const kind = found.rule?.kind ?? 'message';
  const optional = found.rule?.optional === true;
  const field: FieldPlan = {
    name,
    goName: name.charAt(0).toUpperCase() + name.slice(1),
    index: plan.fields.length,
    kind,
    repeated: found.repeated,
    rule: found.rule ?? { kind },
    listRule: found.listRule,
    message: kind === 'message' ? planOf(found.schema) : undefined,
    oneof: plan.rule.oneofs.findIndex((oneof) => oneof.members.includes(name)),
    zero: found.repeated ? noItems : zeroOf(kind, optional, found.rule),
  };
  plan.fields.push(field);
  plan.byName.set(name, field);
  plan.byName.set(snakeCase(name), field);
  plan.empty[name] = field.zero;
}

/** A message without content, its lists its own. */
export function emptyMessageOf<S extends z.ZodType>(schema: S): z.output<S> {
  const entries = Object.entries(planOf(schema).empty);
  return Object.fromEntries(
    entries.map(([name, zero]) => [name, zero === noItems ? [] : zero]),
  ) as z.output<S>;
}

interface Unwrapped {
  schema: Schema;
  rule: FieldRule | undefined;
  listRule: Partial<FieldRule> | undefined;
  repeated: boolean;
}

/** Takes default, optional, required, lazy and list off a field; the rule nearest the field's name counts. */
function unwrap(schema: Schema): Unwrapped {
  const found: Unwrapped = { schema, rule: undefined, listRule: undefined, repeated: false };
  for (;;) {
    found.rule ??= fieldRuleOf(found.schema);
    found.listRule ??= listRuleOf(found.schema);
    const definition = definitionOf(found.schema);
    if (definition.type === 'object') return found;
    if (definition.type === 'array') found.repeated = true;
    const inner = definition.innerType ?? definition.element ?? definition.getter?.();
    if (inner === undefined) return found;
    found.schema = inner;
  }
}

function zeroOf(kind: Kind, optional: boolean, rule: FieldRule | undefined): unknown {
  if (kind === 'duration' || kind === 'timestamp') return '';
  if (optional) return undefined;
  if (kind === 'enum') return rule?.names?.[0] ?? 0;
  return zeros[kind];
}

const zeros: Partial<Record<Kind, unknown>> = {
  string: '',
  bytes: '',
  bool: false,
  int32: 0,
  uint32: 0,
  double: 0,
  int64: '0',
  uint64: '0',
};
