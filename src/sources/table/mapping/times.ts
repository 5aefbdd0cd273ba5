/** Reads times as databases, directories and applications write them. */
import { parseTime } from '../../../lib/clock.ts';

/** Returns a time in milliseconds since 1970. Undefined for a text that is not a time, and for the zero date of MySQL. */
export function readTime(text: string) {
  const plain = text.trim();
  if (plain.startsWith('0000-00-00')) return undefined;
  if (/^-?infinity$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  if (/^-?\d{1,20}(?:\.\d+)?$/.test(plain)) return readNumber(plain);
  return readGeneralized(plain) ?? readIso(plain.replace(dotted, isoOf)) ?? readNamedMonth(plain);
}

/** `31.12.2026`: with dots, the day comes first everywhere. */
const dotted = /^(\d\d?)\.(\d\d?)\.(\d{4}),?/;

const isoOf = (_: string, day: string, month: string, year: string) =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

/**
 * Reads a number. Eight, twelve or fourteen digits are a date, perhaps with a time. Others count from 1970, in seconds,
 * milliseconds or microseconds by their size.
 */
function readNumber(text: string) {
  if (/^(?:(?:19|20)\d{6}(?:\d{4}|\d{6})?|9999\d{4})$/.test(text))
    return readGeneralized(`${text.padEnd(14, '0')}Z`);
  const value = Number(text);
  if (value <= 0) return undefined;
  // Days, as in /etc/shadow.
  if (value < 100_000) return value * units['d']!;
  // Windows counts tenths of microseconds from 1601.
  if (value > 1e17) return value > 9e18 ? Infinity : value / 10_000 - 11_644_473_600_000;
  if (value > 1e14) return value / 1000;
  return value > 1e11 ? value : value * 1000;
}

/** Reads `20261122120738Z`, also with a fraction or an offset. */
function readGeneralized(text: string) {
  const [, year, month, day, hour, minute, second = '00', zone] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:[.,]\d+)?(Z|[+-]\d{4})$/.exec(text) ?? [];
  return zone === undefined
    ? undefined
    : readIso(`${year}-${month}-${day} ${hour}:${minute}:${second}${zone}`);
}

/** Reads `2026-11-22 12:07:38.684184+00`. Without an offset, it is UTC. */
function readIso(text: string) {
  const parts =
    /^(\d{4,6}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)([.,]\d{1,9})? ?(?:Z|UTC|([+-]\d\d)(?::?(\d\d))?(?: [A-Z]+)?)?)?$/i.exec(
      text,
    );
  if (parts === null) return undefined;
  const [, date = '', time = '00:00', fraction = '', hours = '+00', minutes = '00'] = parts;
  // Later than any date of JavaScript, and therefore in the future.
  if (/^\d{5}/.test(date)) return Infinity;
  return parseTime(`${date}T${time}${fraction.slice(0, 4).replace(',', '.')}${hours}:${minutes}`);
}

/** Reads `22-NOV-26 12.07.38.684184 PM` of Oracle, `Nov 22 2026 12:07PM` of SQL Server, `Sun, 22 Nov 2026 12:07:38 GMT`. */
function readNamedMonth(text: string) {
  if (!/\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i.test(text)) return undefined;
  const plain = text
    .replace(/^(\d\d?)-([a-z]{3})-/i, '$1 $2 ')
    .replace(/(\d)\.(\d\d)\.(\d\d)(?:\.\d+)?/, '$1:$2:$3')
    .replace(/(?<=\d)(?=[ap]m$)/i, ' ');
  return parseTime(zone.test(plain) ? plain : `${plain} UTC`);
}

/**
 * Finds a time zone. Without one, the time is UTC, never that of the machine. An offset follows a time of day: `-2026` is
 * none.
 */
const zone = /:\d\d[\d. APM]*[+-]\d\d:?\d\d|GMT|UTC|\b[ECMP][SD]T\b|Z$/i;

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a span of time such as `1d` or `12h` in milliseconds. Undefined for anything else. */
export function readSpan(text: string) {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * units[unit]!;
}
