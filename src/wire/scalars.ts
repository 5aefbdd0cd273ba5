/**
 * Reads scalars of protobuf JSON (integers, bytes, durations, timestamps) from parsed values. All readers return undefined for an
 * invalid value.
 */
import { trimEndOf } from '../lib/strings.ts';

/** Reads an integer from a string or the text of a number. Returns a number for 32 bits, decimal text for 64 bits. */
export function readInteger(value: unknown, kind: 'uint32' | 'uint64'): number | string | undefined {
  const integer = typeof value === 'string' ? toInteger(value) : undefined;
  const bits = kind === 'uint32' ? 32n : 64n;
  if (integer === undefined || integer < 0n || integer >= 2n ** bits) return undefined;
  return kind === 'uint32' ? Number(integer) : integer.toString();
}

/** Reads an enum: its name, or a number without a name. An unknown name reads as the first. */
export function readEnum(value: unknown, names: readonly string[]): string | number | undefined {
  if (typeof value === 'string') return names.includes(value) ? value : names[0];
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 0x7fffffff) return undefined;
  return names[value] ?? value;
}

/** `5`, `5.0` and `5e2` are integers; `5.5` is not. */
function toInteger(text: string) {
  if (/^-?(?:0|[1-9]\d{0,30})$/.test(text)) return BigInt(text);
  if (!/^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

/** Reads base64 in either alphabet, padded or not. Returns it in the standard alphabet with padding. */
export function readBase64(value: unknown) {
  if (typeof value !== 'string') return undefined;
  const body = value.length % 4 === 0 ? value.replace(/={1,2}$/, '') : value;
  if (!/^(?:[A-Za-z\d+/]*|[\w-]*)$/.test(body) || body.length % 4 === 1) return undefined;
  return Buffer.from(body, 'base64').toString('base64');
}

/** Returns the number of bytes that base64 text encodes, in either alphabet, with or without padding. */
export const base64Bytes = (text: string) => Math.floor((trimEndOf(text, '=').length * 3) / 4);

/** Formats the fraction of a second as protobuf does: with none, three, six or nine places. */
function fraction(digits = '') {
  const places = digits.replace(/0+$/, '');
  return places && `.${places.padEnd(Math.ceil(places.length / 3) * 3, '0')}`;
}

/** Reads `10s`, `1.5s` or `-.5s`, with up to nine decimal places and up to ten thousand years. */
export function readDuration(value: unknown) {
  const [text, sign, seconds = '0', digits] =
    /^([-+]?)(?=[\d.])(0|[1-9]\d{0,11})?(?:\.(\d{0,9}))?s$/.exec(String(value)) ?? [];
  if (text === undefined || Number(seconds) > 315_576_000_000) return undefined;
  const amount = `${seconds}${fraction(digits)}s`;
  return sign === '-' && amount !== '0s' ? `-${amount}` : amount;
}

/** Returns the milliseconds of a normalised duration, to the nanosecond; 0 if it is empty. */
export function durationMs(duration: string) {
  return Math.round(Number(duration.slice(0, -1)) * 1e9) / 1e6;
}

/** Formats milliseconds as protobuf does: 1500 becomes `1.500s`. */
export function formatDuration(ms: number) {
  const [seconds, digits] = (ms / 1000).toFixed(9).split('.');
  return `${seconds}${fraction(digits)}s`;
}

/** Reads an RFC 3339 time with any offset in the years 1 to 9999. Returns it in UTC. */
export function readTimestamp(value: unknown) {
  const [text = '', date = '', digits] =
    /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/.exec(String(value)) ?? [];
  const time = Date.parse(text);
  // JavaScript reads 30 February as 2 March.
  if (Number.isNaN(time) || !new Date(date).toISOString().startsWith(date)) return undefined;
  const seconds = new Date(time).toISOString().slice(0, 19);
  return /^(?!0000)\d{4}-/.test(seconds) ? `${seconds}${fraction(digits)}Z` : undefined;
}

/** Formats milliseconds since 1970 as the service does: in UTC, without a fraction that is zero. */
export function formatTimestamp(ms: number) {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}
