/**
 * Describes HTTP bodies by their protobuf fields: kind, length rules, enum numbers, oneofs. One description gives the
 * reader and writer (`codec.ts`), the field rules (`validate.ts`), the size (`import-size.ts`), the types, and `parse`,
 * by which a client reads an answer.
 *
 * A message that was read is complete: absent text is `''`, absent lists are `[]`, absent flags are `false`, absent
 * messages stay `undefined`. A writer may leave out what is not required.
 */
import { isObject, type JsonObject } from '../lib/json-value.ts';
import { capital, snakeCase } from './member-names.ts';
import { durationMs, readEnum } from './scalars.ts';

export type Kind =
  | 'string'
  | 'bool'
  | 'uint32'
  | 'uint64'
  | 'bytes'
  | 'enum'
  | 'duration'
  | 'timestamp'
  | 'json'
  | 'message';

export interface Rules {
  /** Minimum and maximum length: in code points, for `bytes` in decoded bytes, for a list in items. */
  readonly min?: number;
  readonly max?: number;
  readonly maxBytes?: number;
  readonly prefix?: string;
  /** Any other rule. Returns what is wrong with a value, or undefined. */
  readonly check?: (value: unknown) => string | undefined;
  /** The rules apply only if the field is set (`optional` in protobuf). */
  readonly optional?: boolean;
}

export interface Field<Read = unknown, Write = unknown> extends Rules {
  readonly kind: Kind;
  /** Value of the field if it is absent. */
  readonly zero: Read;
  /** Names of an enum, by number. */
  readonly names?: readonly string[];
  /** Set if the kind is `message`. */
  readonly message?: Message;
  /** Whether the message must be set. */
  readonly required?: boolean;
  /** Rules of the list, if the field is one. The rules of its items are those of the field. */
  readonly list?: Rules;
  /** Oneof of the field; all its fields have the same object. The name is in snake case, as in error texts. */
  readonly group?: { readonly name: string; readonly required: boolean };
  /** Exists for types only. */
  readonly writes?: () => Write;
}

export interface FieldPlan extends Field {
  /** Name in lowerCamelCase, as it is written. */
  readonly name: string;
  /** Position of the field in the message, from 0. */
  readonly index: number;
  /** Index of the field's oneof in the message, or -1. */
  readonly oneof: number;
}

export interface MessagePlan {
  /** Name of the generated Go type, as validation texts give it: `ImportHumanUserRequest_Profile`. */
  readonly goName: string;
  /** Name as decoding errors give it. It has its package only if there is a oneof. */
  readonly fullName: string;
  /** Oneofs, with the names of their members in lowerCamelCase. */
  readonly oneofs: readonly (NonNullable<Field['group']> & { readonly members: readonly string[] })[];
  /** Whether unknown members are kept, with their keys in lowerCamelCase. */
  readonly open: boolean;
  readonly fields: readonly FieldPlan[];
  /** Fields by their names in lowerCamelCase and in snake_case. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** All fields with their zero value. It is copied for every decoded message, so that all have the same shape. */
  readonly empty: JsonObject;
}

export interface Message<Read = unknown, Write = unknown> {
  /** Made on first use. */
  readonly plan: MessagePlan;
  /** Reads parsed JSON of the service without checking field rules. Throws `TypeError` if a value has the wrong type. */
  parse(value: unknown): Read;
  /** Exists for types only. */
  readonly writes?: () => Write;
}

/** Fields by name. A nested shape is a message with a Go name like `ImportHumanUserRequest_Profile`. */
export interface Shape {
  readonly [name: string]: Part;
}
export type Part = Field | Message | Shape;

/** Type of a part as it is read: complete. */
export type Output<P> = Exclude<TypeOf<P, 'read'>, undefined>;
/** Type of a part as it is written: optional members may be left out. */
export type Input<P> = Exclude<TypeOf<P, 'write'>, undefined>;

type TypeOf<P, Side extends 'read' | 'write'> =
  P extends Message<infer Read, infer Write>
    ? { read: Read; write: Write }[Side] | undefined
    : P extends Field<infer Read, infer Write>
      ? { read: Read; write: Write }[Side]
      : string extends keyof P
        ? unknown
        : TypesOf<P, Side> | undefined;
type TypesOf<Fields, Side extends 'read' | 'write'> = Flat<
  Loose<{ -readonly [Name in keyof Fields]: TypeOf<Fields[Name], Side> }>
>;
/** Makes the members optional that may be undefined. */
type Loose<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: T[Name];
};
type Flat<T> = { [Name in keyof T]: T[Name] };

const scalar = <Read, Write = Read>(
  kind: Kind,
  zero: Read,
  rules: Rules = {},
): Field<Read, Write | undefined> => ({
  kind,
  zero,
  ...rules,
});
const optional = <Read, Write>(field: Field<Read, Write>): Field<Read | undefined, Write> => ({
  ...field,
  zero: undefined,
  optional: true,
});

export const ruled = <F extends Field>(field: F, rules: Rules): F => ({ ...field, ...rules });

export const text = scalar<string>('string', '');
export const textUpTo = (max: number) => ruled(text, { max });
/** Text of 1 to 200 characters, the rule of most names and ids. */
export const shortText = ruled(text, { min: 1, max: 200 });
export const optionalText = optional(text);
export const optionalShortText = optional(shortText);
export const flag = scalar<boolean>('bool', false);
export const optionalFlag = optional(flag);
/** A flag that may be absent but must not be false. */
export const onlyTrue = ruled(optionalFlag, {
  check: (value) => (value === true ? undefined : 'value must equal true'),
});
/** A 32-bit number, which is a JSON number in both directions. */
export const uint32 = scalar<number>('uint32', 0);
/** A 64-bit number, written as a string, read from a string or a number. Its value is always decimal text. */
export const uint64 = scalar<string, string | number>('uint64', '0');
/** Base64 text in the standard alphabet with padding. Read from either alphabet, padded or not. */
export const bytes = scalar<string>('bytes', '');
/** Seconds with the unit: `10s`, `1.5s`. Empty if absent. */
export const duration = scalar<string>('duration', '', { optional: true });
export const positiveDuration = ruled(duration, {
  check: (value) => (durationMs(String(value)) > 0 ? undefined : 'value must be greater than 0s'),
});
/** Of at most so many seconds; `most` is how Go writes them. */
export const durationUpTo = (seconds: number, most = `${seconds}s`) =>
  ruled(duration, {
    check(value) {
      const ms = durationMs(String(value));
      return ms < 0 || ms > seconds * 1000 ? `value must be inside range [0s, ${most}]` : undefined;
    },
  });
/** RFC 3339 time, which is empty if absent. May be written as milliseconds since 1970. */
export const timestamp = scalar<string, string | number>('timestamp', '', { optional: true });
/** Any JSON value, unchanged. */
export const json = scalar<unknown>('json', undefined, { optional: true });

/** An enum: one of its names, or a number without a name. An unknown name reads as the first. */
export const choice = <const Names extends readonly [string, ...string[]]>(names: Names) => ({
  ...scalar<Names[number] | number>('enum', names[0]),
  names,
});

/** An enum that refuses numbers without a name. */
export const definedChoice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  ruled(choice(names), {
    check: (value) =>
      typeof value === 'number' ? 'value must be one of the defined enum values' : undefined,
  });

/** The rule of an enum whose first name stands for nothing. */
export const notZero = (zero: string): Rules => ({
  check: (value) => (value === zero ? 'value must not be in list [0]' : undefined),
});

/** An enum that may be absent, so that its first name is written as well. */
export const optionalChoice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  optional(choice(names));

export const isMessage = (part: Part): part is Message => 'parse' in part && typeof part.parse === 'function';
const isField = (part: Part): part is Field => 'kind' in part && typeof part.kind === 'string';
function fieldOf(part: Part, goName = ''): Field {
  if (isField(part)) return part;
  return { kind: 'message', zero: undefined, message: isMessage(part) ? part : message(goName, part) };
}

/** A message that must be set; otherwise its rule fails with `value is required`. */
export const required = <Read, Write>(message: Message<Read, Write>) =>
  ({ ...fieldOf(message), required: true }) as Field<Read, Write>;

/** A list. `rules` apply to the list itself. */
export const list = <Item extends Part>(item: Item, rules: Rules = {}) =>
  ({ ...fieldOf(item), zero: noItems, list: rules }) as unknown as Field<
    Output<Item>[],
    readonly Input<Item>[] | undefined
  >;

const noItems: readonly unknown[] = Object.freeze([]);

/** Groups fields of a message of which at most one may be set, or exactly one if `required`. */
export function exclusive<Fields extends Readonly<Record<string, Field | Message>>>(
  name: string,
  fields: Fields,
  required = false,
): Fields {
  const group = { name, required };
  const grouped = Object.entries(fields).map(([key, part]) => [key, { ...fieldOf(part), group }]);
  return Object.fromEntries(grouped) as Fields;
}

/**
 * Describes a message. Its fields are in the order of the protobuf file, in which rules are checked. `name` is the Go type or the
 * full name: `zitadel.user.v2.CreateUserRequest.Human`. `shape` is a function if the message contains itself.
 */
export function message<Fields extends Shape>(
  name: string,
  shape: Fields | (() => Fields),
  { open = false } = {},
): Message<TypesOf<Fields, 'read'>, TypesOf<Fields, 'write'>> {
  let plan: MessagePlan | undefined;
  const made: Message<TypesOf<Fields, 'read'>, TypesOf<Fields, 'write'>> = {
    get plan() {
      return (plan ??= makePlan(name, typeof shape === 'function' ? shape() : shape, open));
    },
    parse: (value) => parseMessage(made.plan, value) as TypesOf<Fields, 'read'>,
  };
  return made;
}

function makePlan(fullName: string, shape: Shape, open: boolean): MessagePlan {
  const goName = fullName.replace(/^(?:[a-z]\w*\.)+/, '').replaceAll('.', '_');
  const parts = Object.entries(shape).map(([name, part], index) => ({
    ...fieldOf(part, `${goName}_${capital(name)}`),
    name,
    index,
  }));
  const groups = [...new Set(parts.flatMap(({ group }) => group ?? []))];
  const fields = parts.map((field) => ({ ...field, oneof: groups.findIndex((one) => one === field.group) }));
  return {
    goName,
    fullName,
    oneofs: groups.map((group, at) => ({
      ...group,
      members: fields.flatMap(({ name, oneof }) => (oneof === at ? name : [])),
    })),
    open,
    fields,
    byName: new Map(
      fields.flatMap((field) => [field.name, snakeCase(field.name)].map((name) => [name, field])),
    ),
    empty: Object.fromEntries(fields.map(({ name, zero }) => [name, zero])),
  };
}

/** Describes a message of which exactly one field must be set. */
export const oneOf = <Fields extends Readonly<Record<string, Field | Message>>>(
  fullName: string,
  oneof: string,
  shape: Fields | (() => Fields),
) => message(fullName, () => exclusive(oneof, typeof shape === 'function' ? shape() : shape, true));

/** Returns an empty message. Its lists are not shared and may be changed. */
export const emptyMessageOf = <Read>({ plan: { fields } }: Message<Read>): Read =>
  Object.fromEntries(fields.map(({ name, zero }) => [name, zero === noItems ? [] : zero])) as Read;

/** `place` is for errors. */
function parseMessage(plan: MessagePlan, value: unknown, place = plan.goName): Record<string, unknown> {
  if (!isObject(value)) throw new TypeError(`${place}: object expected`);
  const out: Record<string, unknown> = { ...plan.empty };
  for (const name in value) {
    const content = value[name];
    const field = plan.byName.get(name);
    if (field === undefined && plan.open) out[name] = content;
    if (field === undefined || content === undefined || content === null) continue;
    const inner = `${place}.${name}`;
    if (field.list === undefined) out[field.name] = parseItem(field, content, inner);
    else if (Array.isArray(content))
      out[field.name] = content.map((item, at) => parseItem(field, item, `${inner}[${at}]`));
    else throw new TypeError(`${inner}: list expected`);
  }
  return out;
}

const plainTypes: Readonly<Partial<Record<Kind, string>>> = { bool: 'boolean', uint32: 'number' };

function parseItem({ kind, names, message }: FieldPlan, content: unknown, place: string) {
  if (kind === 'json') return content;
  if (message !== undefined) return parseMessage(message.plan, content, place);
  const read = kind === 'uint64' && typeof content === 'number' ? String(content) : content;
  const value = names === undefined ? read : readEnum(read, names);
  if (value !== undefined && (names !== undefined || typeof value === (plainTypes[kind] ?? 'string')))
    return value;
  throw new TypeError(`${place}: ${kind} expected`);
}
