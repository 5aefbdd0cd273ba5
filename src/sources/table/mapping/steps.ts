/** The steps that a value can pass: a closed set, each of which ends in time that grows with the length of the text. */
import { encodeBase32 } from '../../../lib/base32.ts';
import { tryParseJson } from '../../../lib/json-value.ts';
import { allauthCodes, readPgArray, unserialize } from './cells.ts';
import { MappingProblem } from './problem.ts';
import type { PlainStep, Step, StepObject } from './schema.ts';
import { longestText } from './texts.ts';

/** A text, or a list or object that a step has made. */
export type ApplyStep = (value: unknown) => unknown;

export function compileStep(step: Step, place: string): ApplyStep {
  if (typeof step === 'string') return plain[step];
  const keys = Object.keys(step).filter((key) => step[key as keyof StepObject] !== undefined);
  const [key] = keys;
  const isPair = keys.length === 2 && step.split !== undefined && step.take !== undefined;
  if (key === undefined || (keys.length > 1 && !isPair)) {
    throw new MappingProblem(
      place,
      'a step has one key',
      'Write several steps as a list: [trim, { prefix: "x" }].',
    );
  }
  return withKey(step);
}

/** Lists and their texts are cut like texts: no field is longer. */
const mostItems = 1000;
const longestItem = 10_000;

function onText(change: (text: string) => unknown): ApplyStep {
  return (value) => {
    if (Array.isArray(value))
      return value
        .slice(0, mostItems)
        .map((one) => (typeof one === 'string' ? change(one.slice(0, longestItem)) : one));
    return typeof value === 'string' ? change(value.slice(0, longestText)) : value;
  };
}

const plain: Readonly<Record<PlainStep, ApplyStep>> = {
  'allauth-recovery-codes': allauthCodes,
  'base64-to-base32': onText((text) => toBase32(text, 'base64', /^[\w+/-]+={0,2}$/)),
  'base64-to-text': onText((text) => Buffer.from(text, 'base64').toString('utf8')),
  'bytes-to-base32': (value) =>
    Array.isArray(value) ? encodeBase32(Buffer.from(value.slice(0, mostItems) as number[])) : value,
  digits: onText((text) => text.replace(/\D+/g, '')),
  'hex-to-base32': onText((text) => toBase32(text, 'hex', /^(?:[\da-f]{2})+$/i)),
  'html-unescape': onText(unescapeHtml),
  json: onText((text) => tryParseJson(text)),
  keys: (value) => (typeof value === 'object' && value !== null ? Object.keys(value) : value),
  lower: onText((text) => text.toLowerCase()),
  'pg-array': onText(readPgArray),
  'php-unserialize': onText(unserialize),
  rdn: onText(readRdn),
  trim: onText((text) => text.trim()),
  upper: onText((text) => text.toUpperCase()),
  uuid: onText(readUuid),
  'uuid-le': onText(readLittleUuid),
};

function withKey(step: StepObject): ApplyStep {
  const { prefix, suffix, before, after, split, take, join, replace } = step;
  const { 'strip-prefix': front, 'strip-suffix': back, default: fallback, 'url-param': parameter } = step;
  if (prefix !== undefined) return onText((text) => (text === '' ? '' : prefix + text));
  if (suffix !== undefined) return onText((text) => (text === '' ? '' : text + suffix));
  if (front !== undefined)
    return onText((text) => (text.startsWith(front) ? text.slice(front.length) : text));
  if (back !== undefined)
    return onText((text) => (text.endsWith(back) ? text.slice(0, text.length - back.length) : text));
  if (before !== undefined)
    return onText((text) => (text.includes(before) ? text.slice(0, text.indexOf(before)) : text));
  if (after !== undefined)
    return onText((text) => (text.includes(after) ? text.slice(text.indexOf(after) + after.length) : text));
  if (split !== undefined) return splitter(split, take);
  if (take !== undefined) return (value) => (Array.isArray(value) ? (value.at(take) as unknown) : value);
  if (join !== undefined)
    return (value) => (Array.isArray(value) ? joinTexts(value.filter(isText), join) : value);
  if (fallback !== undefined)
    return (value) => (value === '' || value === undefined || value === null ? fallback : value);
  if (parameter !== undefined) return onText((text) => readParameter(text, parameter));
  const [from, to] = replace!;
  return onText((text) => joinTexts(text.split(from), to));
}

function joinTexts(texts: readonly string[], between: string): string {
  const [first = '', ...others] = texts;
  let joined = first;
  for (const text of others) {
    if (joined.length > longestText) break;
    joined += between + text;
  }
  return joined.slice(0, longestText);
}

function splitter(separator: string, take: number | undefined): ApplyStep {
  return onText((text) => {
    const parts = text.split(separator);
    return take === undefined
      ? parts.map((part) => part.trim()).filter((part) => part !== '')
      : (parts.at(take) ?? '');
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** What cannot be read stays as it is: the field that it goes into says what is wrong with it. */
function toBase32(text: string, encoding: 'hex' | 'base64', form: RegExp): string {
  const plain = text.trim();
  return form.test(plain) ? encodeBase32(Buffer.from(plain, encoding)) : text;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
};

function unescapeHtml(text: string): string {
  return text.replace(/&(#?\w{2,5});/g, (whole, name: string) => entities[name] ?? whole);
}

/** The first value of a distinguished name (RFC 4514): `Staff, EU` of `CN=Staff\\, EU,OU=Groups`. */
function readRdn(text: string): string {
  const [, value] = /^[\w.-]+=((?:\\.|[^\\,+])*)/s.exec(text) ?? [];
  return (
    value?.replace(/((?:\\[\da-f]{2})+)|\\(.)/gis, (_, hex: string | undefined, one: string) =>
      hex === undefined ? one : Buffer.from(hex.replaceAll('\\', ''), 'hex').toString('utf8'),
    ) ?? text
  );
}

/** The bytes of a GUID in the order of Windows, as hex or base64. */
function readLittleUuid(text: string): string {
  const plain = text.trim().replace(/^(?:0x|\\x)/i, '');
  const bytes = /^[\da-f]{32}$/i.test(plain) ? Buffer.from(plain, 'hex') : Buffer.from(plain, 'base64');
  if (bytes.length !== 16) return text;
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return readUuid(order.map((at) => bytes[at]!.toString(16).padStart(2, '0')).join(''));
}

/** 16 bytes in hexadecimal digits, as MySQL keeps a UUID: with its dashes. */
function readUuid(text: string): string {
  const [, ...parts] =
    /^(?:0x|\\x)?([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i.exec(text.trim()) ?? [];
  return parts.length === 0 ? text : parts.join('-').toLowerCase();
}

function readParameter(text: string, name: string): string {
  const query = text.slice(text.indexOf('?') + 1, longestText);
  return text.includes('?') ? (new URLSearchParams(query).get(name) ?? '') : '';
}
