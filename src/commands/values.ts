/** Reads the values of flags: durations, sizes, addresses, times, files. A `UsageError` names the flag. */
import { UsageError } from '../errors.ts';
import { readRecording } from '../flows/actions/recordings.ts';
import { DurationError, durationToMs, parseDuration } from '../lib/go-duration.ts';
import { readAll } from './read-text.ts';
import type { CommandContext } from './context.ts';

/** Milliseconds of a Go duration (`10s`, `1m30s`); never negative. */
export function readDuration(flag: string, text: string): number {
  try {
    const nanoseconds = parseDuration(text);
    if (nanoseconds >= 0n) return durationToMs(nanoseconds);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  throw new UsageError(`${flag} ${text}: not a duration`, { hint: 'For example 10s, 1m30s or 500ms.' });
}

/** `500_000` is 500,000. */
export function readWholeNumber(flag: string, text: string, least = 0, most = Infinity): number {
  const digits = text.replaceAll('_', '');
  const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${flag} ${text}: it must be a whole number ${range}`);
}

/** `45`, `45/s`, `600/m`; requests a second. `unlimited` and `none` are Infinity. */
export function readRate(text: string): number {
  if (text === 'unlimited' || text === 'none') return Infinity;
  const [, number = '', unit] = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(s|m))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (unit === 'm' ? 60 : 1);
  if (rate > 0) return rate;
  throw new UsageError(`--rate ${text}: not a rate`, {
    hint: 'Write it like 45/s or 600/m, or unlimited for no limit.',
  });
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
  throw new UsageError(`${flag} ${text}: not a size`, { hint: 'For example 4MiB, 5MB or 1000000.' });
}

export function readUrl(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`${flag} ${text}: not an http:// or https:// address`);
}

/** Milliseconds since 1970 of seconds since 1970 or an RFC 3339 time. */
export function readTime(flag: string, text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`${flag} ${text}: not a time`, {
    hint: 'For example 2026-01-31T12:00:00Z, or seconds since 1970.',
  });
}

/** A file, or standard input for `-`. */
export async function readFileOrStdin(
  file: string,
  { cwd, stdin }: Pick<CommandContext, 'cwd' | 'stdin'>,
): Promise<Uint8Array> {
  return file === '-' ? readAll(stdin) : readRecording(file, cwd);
}
