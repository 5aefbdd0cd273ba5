/** Computes the size of an import request and of its parts as protobuf, which is how the service measures it. */
import { importDataRequest, dataOrg } from './import.ts';
import { base64Bytes } from './scalars.ts';
import type { FieldPlan, Kind, Message, MessagePlan } from './message.ts';

/**
 * Largest request in bytes of protobuf, not of JSON (gRPC's default receive limit). A larger one is answered with 429 and code 8,
 * and only splitting helps.
 */
export const requestLimit = 4_194_304;

/** Largest response in bytes of protobuf, for example of an export. */
export const responseLimit = 10_485_760;

/** Returns the size of a whole body of `POST /admin/v1/import`. */
export const importRequestSize = (body: unknown) => protobufSize(importDataRequest, body);

/** Returns the size of an organization's content, without tag and length. */
export const orgSize = (org: unknown) => protobufSize(dataOrg, org);

/** Returns the bytes that one more entry of a list of an organization (`humanUsers`, `userMetadata`, ...) adds to `orgSize`. */
export const entrySize = (list: string, entry: unknown) => orgSize({ [list]: [entry] });

/**
 * How many numbers the protobuf file skips after the first field of a message. Otherwise the number of a field is its position,
 * since messages have their fields in the order of the file. It only matters whether a number is below 16: above, a tag takes two
 * bytes.
 */
const numbersLeftOut: Readonly<Record<string, number>> = { DataOrg: 1 };

/**
 * Returns the size of a message in bytes. Proto3 leaves out defaults, and a list repeats its tag. Fields that the service drops
 * take no bytes. The size is exact for every message that is described field by field. In an open message (custom login texts)
 * each tag counts as two bytes, which is at most one too many.
 */
export function protobufSize({ plan }: Message, value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  for (const name in value) {
    const content = (value as Record<string, unknown>)[name];
    if (content === undefined || content === null) continue;
    const field = plan.byName.get(name);
    if (field !== undefined) size += sizeOf(plan, field, content);
    else if (plan.open) size += anySize(content);
  }
  return size;
}

/** Returns the size of a length-delimited field: tag, length and content. */
export const lengthDelimited = (tag: number, content: number) => tag + varintSize(content) + content;

function sizeOf(plan: MessagePlan, field: FieldPlan, content: unknown) {
  const number = field.index + 1 + (field.index === 0 ? 0 : (numbersLeftOut[plan.goName] ?? 0));
  const tag = number < 16 ? 1 : 2;
  if (!Array.isArray(content)) return itemSize(tag, field, content, false);
  let size = 0;
  for (const item of content) size += itemSize(tag, field, item, true);
  return size;
}

function itemSize(tag: number, field: FieldPlan, content: unknown, inList: boolean) {
  if (field.message !== undefined) return lengthDelimited(tag, protobufSize(field.message, content));
  // `decode` reads an empty duration or timestamp as absent.
  if (content === '' && timeKinds.has(field.kind)) return 0;
  const size = contentSize[field.kind](content, field);
  if (size === 0 && !inList && !field.optional) return 0;
  return hasLength.has(field.kind) ? lengthDelimited(tag, size) : tag + Math.max(size, 1);
}

const timeKinds: ReadonlySet<Kind> = new Set(['duration', 'timestamp']);
const hasLength: ReadonlySet<Kind> = new Set(['string', 'bytes', 'duration', 'timestamp', 'json']);

const integer = (value: unknown) => (Number(value) === 0 ? 0 : varintSize(Number(value)));

/** Size of a value's content by kind; 0 for a default. */
const contentSize: Record<Kind, (value: unknown, field: FieldPlan) => number> = {
  string: (value) => Buffer.byteLength(String(value)),
  bytes: (value) => base64Bytes(String(value)),
  bool: (value) => (value === true ? 1 : 0),
  uint32: integer,
  uint64: integer,
  enum: (value, { names }) =>
    integer(typeof value === 'string' ? Math.max(0, names?.indexOf(value) ?? 0) : value),
  duration: (value) => secondsSize(Number.parseFloat(String(value))),
  timestamp: (value) => secondsSize(Date.parse(String(value)) / 1000),
  json: anySize,
  message: () => 0,
};

/** Returns the size of a value of unknown shape, with its tag. */
function anySize(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value === 'string') return lengthDelimited(2, Buffer.byteLength(value));
  if (typeof value !== 'object') return 2 + (typeof value === 'number' ? varintSize(value) : 1);
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  const content = items.reduce<number>((sum, item) => sum + anySize(item), 0);
  return Array.isArray(value) ? content : lengthDelimited(2, content);
}

/** Returns the size of a Duration or Timestamp: seconds are field 1, nanoseconds field 2. */
function secondsSize(value: number) {
  if (!Number.isFinite(value)) return 0;
  const seconds = Math.trunc(value);
  const nanos = Math.round((value - seconds) * 1e9);
  return (seconds === 0 ? 0 : 1 + varintSize(seconds)) + (nanos === 0 ? 0 : 1 + varintSize(nanos));
}

function varintSize(value: number) {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
