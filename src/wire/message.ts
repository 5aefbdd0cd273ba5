/**
 * Describes HTTP bodies: zod schemas that also know what protobuf JSON knows of a field (kind, length rules, enum
 * numbers, oneofs). From one description come reader and writer (`codec.ts`), the field rules (`validate.ts`) and the
 * size (`import-size.ts`).
 *
 * `z.input` of a message is what a writer may leave out, `z.output` is complete: absent text is `''`, absent
 * lists are `[]`, absent flags are `false`, absent messages stay `undefined`.
 */
import { z } from 'zod';

export type Kind =
  | 'string'
  | 'bool'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'double'
  | 'bytes'
  | 'enum'
  | 'duration'
  | 'timestamp'
  | 'json'
  | 'message';

export interface FieldRule {
  readonly kind: Kind;
  /** Length in code points, for `bytes` in decoded bytes. */
  readonly min?: number;
  readonly max?: number;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly prefix?: string;
  /** Names of an enum; the place in the list is the number. */
  readonly names?: readonly string[];
  /** Any other rule: the text of what is wrong with a value, or undefined. Not asked for absent values. */
  readonly check?: (value: unknown) => string | undefined;
  /** The message must be there. */
  readonly required?: boolean;
  /** Rules hold only when the field is there (an `optional` of protobuf). */
  readonly optional?: boolean;
}

export interface Oneof {
  /** Its name in snake case, as error texts give it. */
  readonly name: string;
  /** Members in lowerCamelCase. */
  readonly members: readonly string[];
  readonly required?: boolean;
}

export interface MessageRule {
  /** Name of the generated Go type, as validation texts give it: `ImportHumanUserRequest_Profile`. */
  readonly goName: string;
  /** Full name, as decoding texts give it; only needed where there is a oneof. */
  readonly fullName: string;
  readonly oneofs: readonly Oneof[];
  /** Members that the description does not name are kept, with their keys in lowerCamelCase. */
  readonly open: boolean;
}

type Rules = Omit<FieldRule, 'kind' | 'names' | 'required'>;
type Schema = z.core.$ZodType;

const fieldRules = new WeakMap<Schema, FieldRule>();
const messageRules = new WeakMap<Schema, MessageRule>();

export const fieldRuleOf = (schema: Schema): FieldRule | undefined => fieldRules.get(schema);
export const messageRuleOf = (schema: Schema): MessageRule | undefined => messageRules.get(schema);

function field<S extends Schema>(schema: S, rule: FieldRule): S {
  fieldRules.set(schema, rule);
  return schema;
}

const numberText = z.union([z.string(), z.number().transform(String)]);

export const text = (rules: Rules = {}) => field(z.string().default(''), { kind: 'string', ...rules });
export const optionalText = (rules: Rules = {}) =>
  field(z.string().optional(), { kind: 'string', optional: true, ...rules });
/** One to 200 characters, as most names and ids may have. */
export const shortText = () => text({ min: 1, max: 200 });
export const optionalShortText = () => optionalText({ min: 1, max: 200 });
export const flag = () => field(z.boolean().default(false), { kind: 'bool' });
export const optionalFlag = (rules: Rules = {}) =>
  field(z.boolean().optional(), { kind: 'bool', optional: true, ...rules });
/** 32-bit numbers are JSON numbers both ways. */
export const uint32 = (rules: Rules = {}) => field(z.number().default(0), { kind: 'uint32', ...rules });
/** 64-bit numbers are strings on the way out and either on the way in; here always decimal text. */
export const uint64 = (rules: Rules = {}) => field(numberText.default('0'), { kind: 'uint64', ...rules });
/** Base64 text, standard alphabet with padding; either alphabet, padded or not, on the way in. */
export const bytes = (rules: Rules = {}) => field(z.string().default(''), { kind: 'bytes', ...rules });
/** Seconds with the unit: `10s`, `1.5s`. Empty when absent. */
export const duration = (rules: Rules = {}) =>
  field(z.string().default(''), { kind: 'duration', optional: true, ...rules });
/** RFC 3339. Empty when absent. */
export const timestamp = (rules: Rules = {}) =>
  field(z.string().default(''), { kind: 'timestamp', optional: true, ...rules });
/** Any JSON value, kept as it is. */
export const json = () => field(z.unknown().optional(), { kind: 'json', optional: true });

/** An enum: its name, or a number that no name stands for. An unknown name counts as the first. */
export function choice<const Names extends readonly [string, ...string[]]>(names: Names, rules: Rules = {}) {
  const first = names[0] as Names[number];
  const known = z.union([
    z.enum(names),
    z.number().transform((number) => names[number] ?? number),
    z.string().transform(() => first),
  ]) as unknown as z.ZodType<Names[number] | number, Names[number] | number>;
  return field(known.default(first), { kind: 'enum', names, ...rules });
}

/** An enum that takes no number without a name. */
export const definedChoice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  choice(names, {
    check: (value) =>
      typeof value === 'number' ? 'value must be one of the defined enum values' : undefined,
  });

/** An enum whose first name is written as well. */
export function optionalChoice<const Names extends readonly [string, ...string[]]>(names: Names) {
  return field(choice(names).optional(), { kind: 'enum', names, optional: true });
}

interface MessageOptions {
  readonly fullName?: string;
  readonly oneofs?: readonly Oneof[];
  readonly open?: boolean;
}

/** A message, its fields in the order of the protobuf file: rules are checked in that order. */
export function message<Shape extends z.core.$ZodLooseShape>(
  goName: string,
  shape: Shape,
  options: MessageOptions = {},
) {
  const schema = options.open === true ? z.looseObject(shape) : z.object(shape);
  messageRules.set(schema, {
    goName,
    fullName: options.fullName ?? goName,
    oneofs: options.oneofs ?? [],
    open: options.open === true,
  });
  return schema as z.ZodObject<Shape>;
}

/** A message of which one field is set, and no other; without any it is refused. */
export function oneOf<Shape extends z.core.$ZodLooseShape>(fullName: string, oneof: string, shape: Shape) {
  const goName = fullName.slice(fullName.lastIndexOf('.') + 1);
  const members = Object.keys(shape);
  return message(goName, shape, { fullName, oneofs: [{ name: oneof, members, required: true }] });
}

/** A message that must be there (`value is required` when it is not). */
export function required<S extends z.ZodType>(inner: S): z.ZodNonOptional<S> {
  return field(z.nonoptional(inner), { kind: 'message', required: true });
}

/** A list; the rules of the items are the items' own. */
export function list<S extends z.ZodType>(item: S, rules: Rules = {}) {
  const items = z.array(item).default([]);
  listRules.set(items, rules);
  return items;
}

const listRules = new WeakMap<Schema, Rules>();
export const listRuleOf = (schema: Schema): Rules | undefined => listRules.get(schema);
