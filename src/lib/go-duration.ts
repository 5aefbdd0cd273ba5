/**
 * Parses and formats durations (`1h30m`, `500ms`) as Go does, because the service reads timeouts so. Whole milliseconds are
 * enough for them: smaller parts are rounded up.
 */

/** Units in milliseconds. */
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go counts nanoseconds in 64 bits. */
const longest = 2 ** 63 / 1e6;

/** Matches a number and what follows it up to the next one. */
const terms = /([0-9]*\.?[0-9]*)([^0-9.]*)/g;

/** Returns the milliseconds of a Go duration. Otherwise it throws the error that `failed` makes of Go's own message. */
export function parseDuration(text: string, failed = (problem: string): Error => new RangeError(problem)) {
  const refuse = (problem: string) => failed(`time: ${problem} duration ${JSON.stringify(text)}`);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  let total = unsigned === '' ? Number.NaN : 0;
  for (const [term, number = '', unitName = ''] of unsigned.matchAll(terms)) {
    if (term === '') break;
    if (!/\d/.test(number)) throw refuse('invalid');
    if (unitName === '') throw refuse('missing unit in');
    const unit = Object.hasOwn(units, unitName) ? units[unitName] : undefined;
    if (unit === undefined) throw refuse(`unknown unit ${JSON.stringify(unitName)} in`);
    total += Number(number) * unit;
  }
  if (!(total < longest)) throw refuse('invalid');
  const ms = Math.ceil(Math.round(total * 1e6) / 1e6);
  return text.startsWith('-') ? -ms : ms;
}

/** Formats milliseconds in Go's normal form: `30m0s`, `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(ms: number) {
  const sign = ms < 0 ? '-' : '';
  const whole = Math.abs(ms);
  if (whole > 0 && whole < 1000) return `${sign}${whole}ms`;
  const seconds = `${(whole % 60_000) / 1000}s`;
  const minutes = Math.floor(whole / 60_000);
  if (minutes === 0) return sign + seconds;
  if (minutes < 60) return `${sign}${minutes}m${seconds}`;
  return `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
