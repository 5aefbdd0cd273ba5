/**
 * Describes HTTP bodies by their protobuf fields: kind, length rules, enum numbers, oneofs. One description gives the
 * reader and writer (`codec.ts`), the field rules (`validate.ts`), the size (`import-size.ts`), the types, and `parse`,
 * by which a client reads an answer.
 *
 * A message that was read is complete: absent text is `''`, absent lists are `[]`, absent flags are `false`, absent
 * messages stay `undefined`. A writer may leave out what is not required.
 */
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
  /** Length in code points, for `bytes` in decoded bytes, of a list in items. */
  readonly min?: number;
  readonly max?: number;
  readonly maxBytes?: number;
  readonly prefix?: string;
  /** Any other rule: what is wrong with a value, or undefined. */
  readonly check?: (value: unknown) => string | undefined;
  /** Rules hold only when the field is there (an `optional` of protobuf). */
  readonly optional?: boolean;
}

export interface Field<Read = unknown, Write = unknown> extends Rules {
  readonly kind: Kind;
  /** What an absent field reads as. */
  readonly zero: Read;
  /** Names of an enum; the index is the number. */
  readonly names?: readonly string[];
  /** Where the kind is `message`. */
  readonly message?: Message;
  /** The message must be there. */
  readonly required?: boolean;
  /** For a list: the rules of the list; those of its items are the field's own. */
  readonly list?: Rules;
  /** The oneof that it is in, the same object in all its fields; its name in snake case, as error texts give it. */
  readonly group?: { readonly name: string; readonly required: boolean };
  /** For types only. */
  readonly writes?: () => Write;
}

export interface FieldPlan extends Field {
  /** In lowerCamelCase, as it is written. */
  readonly name: string;
  /** Index in the message. */
  readonly index: number;
  /** Index of its oneof in the message, or -1. */
  readonly oneof: number;
}

export interface MessagePlan {
  /** Name of the generated Go type, as validation texts give it: `ImportHumanUserRequest_Profile`. */
  readonly goName: string;
  /** As decoding texts give it; with its package only where there is a oneof. */
  readonly fullName: string;
  /** With their members in lowerCamelCase. */
  readonly oneofs: readonly (NonNullable<Field['group']> & { readonly members: readonly string[] })[];
  /** Unknown members are kept, with their keys in lowerCamelCase. */
  readonly open: boolean;
  readonly fields: readonly FieldPlan[];
  /** By lowerCamelCase and by snake_case. */
  readonly byName: ReadonlyMap<string, FieldPlan>;
  /** All fields at their zero: copied for every decoded message, so that all have the same shape. */
  readonly empty: Readonly<Record<string, unknown>>;
}

export interface Message<Read = unknown, Write = unknown> {
  /** Made when it is first needed. */
  readonly plan: MessagePlan;
  /** Reads parsed JSON of the service without checking field rules; throws for a value of the wrong type. */
  parse(value: unknown): Read;
  /** For types only. */
  readonly writes?: () => Write;
}

/** Fields by name. A nested shape is a message that Go names like `ImportHumanUserRequest_Profile`. */
export interface Shape {
  readonly [name: string]: Part;
}
export type Part = Field | Message | Shape;

/** As it is read: complete. */
export type Output<P> = Exclude<TypeOf<P, 'read'>, undefined>;
/** As it is written: optional members may be left out. */
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
/** Members that may be undefined become optional. */
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
/** One to 200 characters, as most names and ids may have. */
export const shortText = ruled(text, { min: 1, max: 200 });
export const optionalText = optional(text);
export const optionalShortText = optional(shortText);
export const flag = scalar<boolean>('bool', false);
export const optionalFlag = optional(flag);
/** One that may be absent, and must not be false. */
export const onlyTrue = ruled(optionalFlag, {
  check: (value) => (value === true ? undefined : 'value must equal true'),
});
/** 32-bit numbers are JSON numbers both ways. */
export const uint32 = scalar<number>('uint32', 0);
/** 64-bit numbers are written as strings and read from either; here always decimal text. */
export const uint64 = scalar<string, string | number>('uint64', '0');
/** Base64 text, standard alphabet with padding; read from either alphabet, padded or not. */
export const bytes = scalar<string>('bytes', '');
/** Seconds with the unit: `10s`, `1.5s`. Empty when absent. */
export const duration = scalar<string>('duration', '', { optional: true });
export const positiveDuration = ruled(duration, {
  check: (value) => (durationMs(String(value)) > 0 ? undefined : 'value must be greater than 0s'),
});
/** RFC 3339. Empty when absent. */
export const timestamp = scalar<string>('timestamp', '', { optional: true });
/** Any JSON value, kept as it is. */
export const json = scalar<unknown>('json', undefined, { optional: true });

/** An enum: its name, or a number without a name. An unknown name counts as the first. */
export const choice = <const Names extends readonly [string, ...string[]]>(names: Names) => ({
  ...scalar<Names[number] | number>('enum', names[0]),
  names,
});

/** An enum that allows no number without a name. */
export const definedChoice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  ruled(choice(names), {
    check: (value) =>
      typeof value === 'number' ? 'value must be one of the defined enum values' : undefined,
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

/** A message that must be there (`value is required` when it is not). */
export const required = <Read, Write>(message: Message<Read, Write>) =>
  ({ ...fieldOf(message), required: true }) as Field<Read, Write>;

/** A list; `rules` are those of the list itself. */
export const list = <Item extends Part>(item: Item, rules: Rules = {}) =>
  ({ ...fieldOf(item), zero: noItems, list: rules }) as unknown as Field<
    Output<Item>[],
    readonly Input<Item>[] | undefined
  >;

const noItems: readonly unknown[] = Object.freeze([]);

/** Fields of a message of which at most one is set, or exactly one where that is required. */
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
 * A message with its fields in the order of the protobuf file, in which rules are checked. Its name is that of the Go type, or
 * the full one: `zitadel.user.v2.CreateUserRequest.Human`. `shape` is a function where a field is the message itself.
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

/** A message of which exactly one field must be set. */
export const oneOf = <Fields extends Readonly<Record<string, Field | Message>>>(
  fullName: string,
  oneof: string,
  shape: Fields | (() => Fields),
) => message(fullName, () => exclusive(oneof, typeof shape === 'function' ? shape() : shape, true));

/** An empty message with lists of its own, which may be changed. */
export const emptyMessageOf = <Read>({ plan: { fields } }: Message<Read>): Read =>
  Object.fromEntries(fields.map(({ name, zero }) => [name, zero === noItems ? [] : zero])) as Read;

function parseMessage(plan: MessagePlan, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${plan.goName} is no object`);
  const out: Record<string, unknown> = { ...plan.empty };
  for (const name in value) {
    const content = (value as Record<string, unknown>)[name];
    const field = plan.byName.get(name);
    if (field === undefined && plan.open) out[name] = content;
    if (field === undefined || content === undefined || content === null) continue;
    if (field.list === undefined) out[field.name] = parseItem(field, content);
    else if (Array.isArray(content)) out[field.name] = content.map((item) => parseItem(field, item));
    else throw new TypeError(`${plan.goName}.${name} is no list`);
  }
  return out;
}

const plainTypes: Readonly<Partial<Record<Kind, string>>> = { bool: 'boolean', uint32: 'number' };

function parseItem(field: FieldPlan, content: unknown): unknown {
  const { kind, names, message } = field;
  if (kind === 'json') return content;
  if (message !== undefined) return parseMessage(message.plan, content);
  const read = kind === 'uint64' && typeof content === 'number' ? String(content) : content;
  const value = names === undefined ? read : readEnum(read, names);
  if (value !== undefined && (names !== undefined || typeof value === (plainTypes[kind] ?? 'string')))
    return value;
  throw new TypeError(`${field.name} is no ${kind}`);
}
