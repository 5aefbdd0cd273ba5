/** Readers of the values of flags: numbers, rates, durations, sizes, addresses, times. A `UsageError` names the flag. */
import { UsageError } from '../errors.ts';
import { DurationError, durationToMs, formatDuration, parseDuration } from './go-duration.ts';

/** A variable of a script that is not set must not stand for some or all. */
export function readId(flag: string, text: string): string {
  const id = text.trim();
  if (id !== '') return id;
  throw new UsageError(`${flag} is empty`, `Give an id, for example ${flag}=165617389845094785.`);
}

/** The two sides of `old=new`, neither of which is empty. `hint` says what they are. */
export function readPair(flag: string, text: string, form: string, hint: string): readonly [string, string] {
  const [, before, after] = /^([^=]+)=(.*\S.*)$/s.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return [before, after];
  throw new UsageError(`${flag} ${text} is not of the form ${form}`, hint);
}

/** Milliseconds of a Go duration (`10s`, `1m30s`); never negative. */
export function readDuration(flag: string, text: string): number {
  try {
    const nanoseconds = parseDuration(text);
    if (nanoseconds >= 0n) return durationToMs(nanoseconds);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  throw new UsageError(`${flag} ${text}: not a duration`, 'For example 10s, 1m30s or 500ms.');
}

/** `500_000` is 500,000. */
export const wholeNumber =
  (least = 0, most = Infinity) =>
  (flag: string, text: string): number => {
    const digits = text.replaceAll('_', '');
    const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new UsageError(`${flag} ${text}: it must be a whole number ${range}`);
  };

/** `unlimited` is Infinity. */
export const readLimit = (flag: string, text: string): number =>
  text === 'unlimited' ? Infinity : wholeNumber()(flag, text);

/** A number with a decimal point: an amount, seconds. */
export function readDecimal(flag: string, text: string): number {
  if (/^\d{0,9}(?:\.\d{1,9})?$/.test(text) && text !== '') return Number(text);
  throw new UsageError(`${flag} ${text}: not a number`, 'For example 0.06.');
}

/** The normal form of a Go duration, as the service reads it. Zero and less would end every import at once. */
export function readTimeout(flag: string, text: string): string {
  const hint = 'Write it as the service does: 30m, 1h30m, 90s, 1.5h.';
  try {
    const timeout = parseDuration(text);
    if (timeout > 0n) return formatDuration(timeout);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new UsageError(`${flag}: ${error.message.replace(/^time: /, '')}`, hint);
  }
  throw new UsageError(`${flag} ${text} is not longer than zero`, hint);
}

/** True where the flag has no value. */
export function readBool(flag: string, text: string): boolean {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`${flag}=${text} is neither true nor false`, 'Leave the flag out to decide nothing.');
}

/** `45`, `45/s`, `600/m`; requests a second. `unlimited` and `none` are Infinity. */
export function readRate(flag: string, text: string): number {
  if (text === 'unlimited' || text === 'none') return Infinity;
  const [, number = '', unit] = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(s|m))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (unit === 'm' ? 60 : 1);
  if (rate > 0) return rate;
  throw new UsageError(
    `${flag} ${text}: not a rate`,
    'Write it like 45/s or 600/m, or unlimited for no limit.',
  );
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  kb: 1e3,
  mb: 1e6,
  kib: 1024,
  mib: 1024 ** 2,
};

/** Bytes of `5MB`, `4MiB` or `1000000`. */
export function readSize(flag: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,12}) ?([km]i?b|)$/i.exec(text) ?? [];
  const bytes = Number(digits) * (sizeUnits[unit.toLowerCase()] ?? Number.NaN);
  if (digits !== '' && bytes > 0) return bytes;
  throw new UsageError(`${flag} ${text}: not a size`, 'For example 4MiB, 5MB or 1000000.');
}

export function readUrl(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`${flag} ${text}: not an http:// or https:// address`);
}

/** The same, as it was written. */
export const readAddress = (flag: string, text: string): string => (readUrl(flag, text), text);

/** Milliseconds since 1970 of seconds since 1970 or an RFC 3339 time. */
export function readTime(flag: string, text: string): number | 'now' {
  if (text === 'now') return text;
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    `${flag} ${text}: not a time`,
    'For example 2026-01-31T12:00:00Z, seconds since 1970, or now.',
  );
}

/** `20` users, or `5%` of those sent. */
export function readMaxErrors(flag: string, text: string) {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null && Number(percent[1]) <= 100) return { share: Number(percent[1]) / 100 };
  return { most: wholeNumber()(flag, text) };
}
