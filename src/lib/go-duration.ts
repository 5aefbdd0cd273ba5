/**
 * Parses and formats durations (`1h30m`, `500ms`) exactly as Go's `time.ParseDuration` and `time.Duration.String` do, because the
 * service uses these for timeouts. A duration is a bigint of nanoseconds: it is an int64 in Go, and a number is exact only up to
 * 104 days.
 */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** The longest duration plus 1. Its negative is the shortest duration. */
const limit = 1n << 63n;

/** Matches a number and what follows it up to the next one. */
const terms = /([0-9]*)\.?([0-9]*)([^0-9.]*)/g;

/** Returns the nanoseconds of a Go duration. Throws `DurationError` with Go's own message. */
export function parseDuration(text: string): bigint {
  const invalid = () => new DurationError(`time: invalid duration ${quote(text)}`);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw invalid();
  let total = 0n;
  for (const [term, whole = '', decimals = '', unitName = ''] of unsigned.matchAll(terms)) {
    if (term === '') break;
    const count = BigInt(whole);
    if ((whole === '' && decimals === '') || count > limit) throw invalid();
    if (unitName === '') throw new DurationError(`time: missing unit in duration ${quote(text)}`);
    const unit = Object.hasOwn(units, unitName) ? units[unitName] : undefined;
    if (unit === undefined) {
      throw new DurationError(`time: unknown unit ${quote(unitName)} in duration ${quote(text)}`);
    }
    total += count * unit + fractionOf(decimals, unit);
    if (total > limit) throw invalid();
  }
  if (text.startsWith('-')) return -total;
  if (total === limit) throw invalid();
  return total;
}

/** Formats a duration in Go's normal form: `30m0s`, `1h0m0s`, `1.5s`, `100ms`, `1\u00b5s`, `0s`. */
export function formatDuration(nanoseconds: bigint) {
  const sign = nanoseconds < 0n ? '-' : '';
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (value === 0n) return '0s';
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 3)}\u00b5s`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 6)}ms`;
  const minute = 60_000_000_000n;
  const seconds = `${decimal(value % minute, 9)}s`;
  const minutes = value / minute;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Returns whole milliseconds, rounded up, for timers. */
export function durationToMs(nanoseconds: bigint) {
  return Math.ceil(Number(nanoseconds) / 1e6);
}

/** Like Go, keeps as many decimals as fit into an int64 and truncates the product to whole nanoseconds. */
function fractionOf(decimals: string, unit: bigint) {
  let fraction = 0n;
  let scale = 1;
  for (const digit of decimals) {
    if (fraction > (limit - 1n) / 10n) break;
    const next = fraction * 10n + BigInt(digit);
    if (next > limit) break;
    fraction = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(fraction) * (Number(unit) / scale)));
}

/** Returns `value / 10^places` without trailing zeros. */
function decimal(value: bigint, places: number) {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Quotes text as Go does in these errors: control characters and bytes outside ASCII become `\xNN`. */
function quote(text: string) {
  let quoted = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`;
    else quoted += String.fromCharCode(byte);
  }
  return `"${quoted}"`;
}
