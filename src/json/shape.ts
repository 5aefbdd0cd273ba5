/** Guesses from the first bytes of an input what kind of JSON it is, to choose how to read it. */
import { tryParseJson } from '../lib/json-value.ts';
import { endsScalar, skipNested, skipSpace } from './skip.ts';
import { kindOf } from './token.ts';

export interface JsonShape {
  /** `pages` is an array that begins with an array; `other` is not JSON, `empty` only white space. */
  readonly root: 'object' | 'array' | 'pages' | 'scalar' | 'empty' | 'other';
  /** The keys of the root object, or of the first element of a root array or page, as far as the head has them. */
  readonly keys: readonly string[];
  /**
   * What follows the first root value: `unseen` when that value does not end in the head or nothing follows it, `line`
   * for another value on a later line (with the first value on a single line), `value` for any other value, `garbage`
   * for anything else.
   */
  readonly next: 'unseen' | 'line' | 'value' | 'garbage';
}

/** Never throws: a truncated or broken head gives what was understood until then. */
export function peekShape(head: Uint8Array): JsonShape {
  const start = skipSpace(head, 0);
  if (start === head.length) return { root: 'empty', keys: [], next: 'unseen' };
  const kind = rootAt(head, start);
  if (kind === 'other') return { root: kind, keys: [], next: 'unseen' };
  let first = kind === 'array' ? skipSpace(head, start + 1) : start;
  const root = kind === 'array' && head[first] === 0x5b ? 'pages' : kind;
  if (root === 'pages') first = skipSpace(head, first + 1);
  return { root, keys: head[first] === 0x7b ? keysAt(head, first) : [], next: nextAfter(head, start) };
}

function rootAt(head: Uint8Array, at: number): JsonShape['root'] {
  const kind = kindOf(head[at]!);
  if (kind === 'object' || kind === 'array') return kind;
  const word = Buffer.from(head.subarray(at, at + 5)).toString('latin1');
  const isScalar = kind === 'string' || kind === 'number' || /^(?:true|false|null)/.test(word);
  return isScalar ? 'scalar' : 'other';
}

function keysAt(head: Uint8Array, brace: number): string[] {
  const keys = new Set<string>();
  let at = skipSpace(head, brace + 1);
  while (head[at] === 0x22) {
    const end = skipValue(head, at);
    const colon = skipSpace(head, end);
    if (head[colon] !== 0x3a) break;
    const key = tryParseJson(Buffer.from(head.subarray(at, end)).toString('utf8'));
    if (typeof key === 'string') keys.add(key);
    const comma = skipSpace(head, skipValue(head, skipSpace(head, colon + 1)));
    if (head[comma] !== 0x2c) break;
    at = skipSpace(head, comma + 1);
  }
  return [...keys];
}

function nextAfter(head: Uint8Array, start: number): JsonShape['next'] {
  const end = skipValue(head, start);
  const next = skipSpace(head, end);
  if (next >= head.length) return 'unseen';
  if (rootAt(head, next) === 'other') return 'garbage';
  const oneLine = !head.subarray(start, end).includes(0x0a);
  return oneLine && head.subarray(end, next).includes(0x0a) ? 'line' : 'value';
}

/** The index after the value at `from`, by quotes and brackets alone; the length of the head when it is truncated. */
function skipValue(head: Uint8Array, from: number): number {
  const isBracket = ((head[from] ?? 0) | 0x20) === 0x7b;
  if (isBracket || head[from] === 0x22) {
    const nesting = { depth: isBracket ? 1 : 0, inText: !isBracket, escaped: false };
    return skipNested(head, from + 1, head.length, nesting);
  }
  let at = from;
  while (at < head.length && !endsScalar(head[at]!)) at++;
  return at;
}
