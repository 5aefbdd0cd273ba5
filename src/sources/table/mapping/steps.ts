/** Steps without an argument, among them readers of lists and objects that databases and applications write into one cell. */
import { createHmac } from 'node:crypto';
import { encodeBase32 } from '../../../lib/base32.ts';
import { isObject, tryParseJson } from '../../../lib/json-value.ts';
import { isHex } from '../../../records/text.ts';
import { longestText } from './paths.ts';

/** Changes a text, or a list or object that an earlier step has made. */
export type ApplyStep = (value: unknown) => unknown;

/** Longer lists, and longer texts in them, are cut like other texts, because no field is longer. */
const maxItems = 1000;
const longestItem = 10_000;

export function onText(change: (text: string) => unknown): ApplyStep {
  return (value) => {
    if (Array.isArray(value))
      return value
        .slice(0, maxItems)
        .map((one) => (typeof one === 'string' ? change(one.slice(0, longestItem)) : one));
    return typeof value === 'string' ? change(value.slice(0, longestText)) : value;
  };
}

/** Reads an array of Postgres: `{a,"b c"}`. Any other text stays as it is, also `{'a'}`, which Python writes. */
function readPgArray(text: string) {
  const [, inside] = /^\s*\{(.*)\}\s*$/s.exec(text) ?? [];
  if (inside === undefined) return text;
  const items: string[] = [];
  let end = 0;
  const item = /(?:^|(?<!^),)\s*(?:"((?:[^"\\]|\\.)*)"\s*|((?!')[^\s",{}\\][^",{}\\]*))/gsy;
  for (const [whole, quoted, bare = ''] of inside.matchAll(item)) {
    end += whole.length;
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, '$1'));
    else if (bare.trim() !== 'NULL') items.push(bare.trim());
  }
  return end === inside.length || inside.trim() === '' ? items : text;
}

/** Maximum nesting. Deeper values are hostile. */
const deepest = 20;

/**
 * Reads values of PHP: `a:1:{i:0;s:5:"admin";}`. Knows scalars, lists and arrays. Any other text stays as it is, also one
 * that contains an object.
 */
function unserialize(text: string) {
  // One character per byte, because lengths count bytes.
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const token = /(N);|([ib]):(-?\d+);|d:([^;]{1,30});|s:(\d+):"|a:(\d+):\{/y;
  const read = (depth: number): unknown => {
    const [whole, isNull, kind, digits, float, length, count] = token.exec(bytes) ?? [];
    if (whole === undefined || depth > deepest) throw new RangeError('not a PHP value');
    if (isNull !== undefined) return null;
    if (kind === 'b') return digits === '1';
    if (length !== undefined) return readBytes(Number(length));
    if (count === undefined) return Number(digits ?? float);
    const entries: [string, unknown][] = [];
    while (bytes[token.lastIndex] !== '}') entries.push([String(read(depth + 1)), read(depth + 1)]);
    token.lastIndex++;
    const isList = entries.every(([key], at) => key === String(at));
    return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  };
  const readBytes = (length: number) => {
    const start = token.lastIndex;
    // Includes the closing quote and a semicolon.
    token.lastIndex += length + 2;
    if (token.lastIndex > bytes.length) throw new RangeError('its text is cut off');
    return Buffer.from(bytes.slice(start, start + length), 'latin1').toString('utf8');
  };
  try {
    return read(0);
  } catch {
    // Not PHP: the text stays as it is.
    return text;
  }
}

/** How many codes django-allauth makes of a seed, and how many digits each has, unless its settings say otherwise. */
const allauth = { codes: 10, digits: 8 };

/**
 * Returns the remaining recovery codes of `allauth.mfa`, which keeps a seed and a bit for each used code. Codes that it
 * took over from elsewhere are returned as they are. Source: django-allauth 65, mfa/recovery_codes/internal/auth.py.
 */
function allauthCodes(value: unknown) {
  if (!isObject(value)) return '';
  const { seed, used_mask: used, migrated_codes: migrated } = value;
  if (Array.isArray(migrated)) return migrated;
  if (typeof seed !== 'string' || typeof used !== 'number') return '';
  const codes: string[] = [];
  let message = '';
  for (let at = 0; at < allauth.codes; at++) {
    message += `${String(at).padStart(3)},`;
    const number = createHmac('sha1', seed).update(message).digest().readUInt32BE(0);
    const code = String(number % 10 ** allauth.digits).padStart(allauth.digits, '0');
    if (((used >> at) & 1) === 0) codes.push(code);
  }
  return codes;
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

function unescapeHtml(text: string) {
  return text.replace(/&(#?\w{2,5});/g, (whole, name: string) => entities[name] ?? whole);
}

/** Returns the first value of a distinguished name (RFC 4514): `Staff, EU` for `CN=Staff\\, EU,OU=Groups`. */
function readRdn(text: string) {
  const [, value] = /^[\w.-]+=((?:\\.|[^\\,+])*)/s.exec(text) ?? [];
  return (
    value?.replace(/((?:\\[\da-f]{2})+)|\\(.)/gis, (_, hex: string | undefined, one: string) =>
      hex === undefined ? one : Buffer.from(hex.replaceAll('\\', ''), 'hex').toString('utf8'),
    ) ?? text
  );
}

/** Reads a GUID whose bytes are in the order of Windows, as hex or base64. */
function readLittleUuid(text: string) {
  const plain = text.trim().replace(/^(?:0x|\\x)/i, '');
  const bytes = /^[\da-f]{32}$/i.test(plain) ? Buffer.from(plain, 'hex') : Buffer.from(plain, 'base64');
  if (bytes.length !== 16) return text;
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return readUuid(Buffer.from(order.map((at) => bytes[at]!)).toString('hex'));
}

/** Adds the dashes of a UUID to 16 bytes in hexadecimal digits, as MySQL stores it. */
function readUuid(text: string) {
  const digits = text
    .trim()
    .replace(/^(?:0x|\\x)/i, '')
    .toLowerCase();
  if (digits.length !== 32 || !isHex(digits)) return text;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** Steps without an argument, by their names in mappings. */
export const plainSteps = {
  'allauth-recovery-codes': allauthCodes,
  'base64-to-text': onText((text) => Buffer.from(text, 'base64').toString('utf8')),
  'bytes-to-base32': (value) =>
    Array.isArray(value) ? encodeBase32(Buffer.from(value.slice(0, maxItems) as number[])) : value,
  digits: onText((text) => text.replace(/\D+/g, '')),
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
} satisfies Readonly<Record<string, ApplyStep>>;
