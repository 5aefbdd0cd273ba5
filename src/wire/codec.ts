/**
 * Reads and writes JSON bodies by the rules of protobuf JSON: camelCase and snake_case names mixed, unknown fields and
 * unknown enum names dropped, null as unset, duplicate fields refused, only the first JSON value read. Errors have
 * the service's wording (HTTP 400, code 3, no details).
 */
import { isUtf8 } from 'node:buffer';
import {
  type Cursor,
  jsonSyntaxError,
  Misfit,
  peek,
  raw,
  readAny,
  readString,
  skipSpace,
  textOf,
  unexpected,
} from './json-reader.ts';
import { camelCase, capital, renamed } from './member-names.ts';
import type { FieldPlan, Input, Message, MessagePlan, Output } from './message.ts';
import {
  formatTimestamp,
  readBase64,
  readDuration,
  readEnum,
  readInteger,
  readTimestamp,
} from './scalars.ts';

export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/**
 * Decodes one message. An empty body is an empty message. `strict` refuses unknown fields instead of dropping them. Throws
 * `DecodeError`.
 */
export function decode<M extends Message>({ plan }: M, body: Uint8Array, strict = false): Output<M> {
  const cursor: Cursor = { text: textOf(body, 'utf8'), strict, at: 0 };
  if (peek(cursor) === undefined) return { ...plan.empty } as Output<M>;
  try {
    if (!isUtf8(body)) throw new Misfit(0, 'invalid UTF-8 in string', 'syntax error ');
    return readMessage(cursor, plan) as Output<M>;
  } catch (error) {
    throw new DecodeError(explain(error, body, cursor.text), { cause: error });
  }
}

/** Words an error as the service does. A syntax error anywhere in the body takes precedence over a value of the wrong type. */
function explain(error: unknown, body: Uint8Array, text: string) {
  const syntax = jsonSyntaxError(body);
  if (syntax !== undefined) return syntax;
  if (error instanceof RangeError) return 'proto: exceeded max recursion depth';
  if (!(error instanceof Misfit)) throw error;
  const before = text.slice(0, error.at).split('\n');
  const column = Array.from(before.at(-1) ?? '').length + 1;
  return `proto: ${error.kind}(line ${before.length}:${column}): ${error.message}`;
}

function readMessage(cursor: Cursor, plan: MessagePlan) {
  const out: Record<string, unknown> = { ...plan.empty };
  /** Fields that were already read, by index. */
  const seen: true[] = [];
  readItems(cursor, '{', '}', () => {
    const start = skipSpace(cursor);
    const name = readString(cursor);
    if (peek(cursor) !== ':') throw unexpected(cursor);
    cursor.at++;
    const field = plan.byName.get(name);
    if (field === undefined) {
      if (plan.open) out[camelCase(name)] = renamed(readAny(cursor), camelCase);
      else if (cursor.strict) throw new Misfit(start, `unknown field ${raw(cursor, start)}`);
      else readAny(cursor);
    } else {
      if (seen[field.index]) throw new Misfit(start, `duplicate field ${raw(cursor, start)}`);
      seen[field.index] = true;
      if (peek(cursor) === 'n') readAny(cursor);
      else {
        const group = plan.oneofs[field.oneof];
        if (group?.members.some((member) => out[member] !== undefined)) {
          const oneof = `${plan.fullName}.${group.name}`;
          throw new Misfit(start, `error parsing ${raw(cursor, start)}, oneof ${oneof} is already set`);
        }
        out[field.name] = field.list !== undefined ? readList(cursor, field) : readSingle(cursor, field);
      }
    }
  });
  return out;
}

function readList(cursor: Cursor, field: FieldPlan): unknown[] {
  const items: unknown[] = [];
  readItems(cursor, '[', ']', () => {
    const name = field.names !== undefined && peek(cursor) === '"' ? readString(cursor) : undefined;
    if (name === undefined) items.push(readSingle(cursor, field));
    // An unknown name in a list is left out.
    else if (field.names?.includes(name)) items.push(name);
  });
  return items;
}

/** Reads the items between brackets. */
function readItems(cursor: Cursor, open: string, close: string, readItem: () => void) {
  if (peek(cursor) !== open) throw unexpected(cursor);
  cursor.at++;
  let sign = peek(cursor);
  if (sign === close) cursor.at++;
  while (sign !== close) {
    readItem();
    sign = peek(cursor);
    if (sign !== close && sign !== ',') throw unexpected(cursor);
    cursor.at++;
  }
}

function readSingle(cursor: Cursor, field: FieldPlan): unknown {
  if (field.message !== undefined) return readMessage(cursor, field.message.plan);
  const { kind, name } = field;
  const isTime = kind === 'duration' || kind === 'timestamp';
  if (isTime && peek(cursor) !== '"') throw unexpected(cursor);
  const start = skipSpace(cursor);
  const value = readScalar(readAny(cursor), field, () => raw(cursor, start));
  if (value !== undefined) return value;
  const what = isTime ? `google.protobuf.${capital(kind)} value` : `value for ${kind} field ${name}:`;
  throw new Misfit(start, `invalid ${what} ${raw(cursor, start)}`);
}

function readScalar(value: unknown, field: FieldPlan, rawText: () => string) {
  switch (field.kind) {
    case 'json':
      return value;
    case 'enum':
      return readEnum(value, field.names ?? []);
    case 'bytes':
      return readBase64(value);
    case 'duration':
      return readDuration(value);
    case 'timestamp':
      return readTimestamp(value);
    case 'uint32':
    case 'uint64':
      return readInteger(typeof value === 'number' ? rawText() : value, field.kind);
    default:
      return typeof value === (field.kind === 'bool' ? 'boolean' : 'string') ? value : undefined;
  }
}

/** Returns the body as an object for `JSON.stringify`. Defaults are left out at every depth, and 64-bit numbers are strings. */
export function encode<M extends Message>({ plan }: M, value: Input<M>) {
  const values = value as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const content = values[field.name];
    if (content === undefined || isDefault(field, content)) continue;
    out[field.name] =
      field.list !== undefined
        ? (content as unknown[]).map((item) => encodeValue(field, item))
        : encodeValue(field, content);
  }
  if (plan.open) {
    for (const name of Object.keys(values)) if (!plan.byName.has(name)) out[name] = values[name];
  }
  return out;
}

function isDefault(field: FieldPlan, content: unknown) {
  if (field.list !== undefined) return (content as unknown[]).length === 0;
  if (field.message !== undefined) return false;
  return content === field.zero;
}

function encodeValue(field: FieldPlan, content: unknown) {
  if (field.message !== undefined) return encode(field.message, content);
  if (field.kind === 'timestamp' && typeof content === 'number') return formatTimestamp(content);
  return field.kind === 'uint64' ? String(content) : content;
}
