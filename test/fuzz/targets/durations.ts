/** Go's durations: read as Go's own `time.ParseDuration` reads them, and back to the same text. */
import { DurationError, formatDuration, parseDuration } from '../../../src/lib/go-duration.ts';
import type { Draw } from '../draw.ts';
import { mutate } from '../mutate.ts';
import { expectSame, type FuzzTarget } from '../target.ts';

const units = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];
const numbers =
  '0 1 59 60 007 1.5 .5 5. 0.000000001 9223372036 9223372036854775807 9223372036854775808'.split(' ');

export const durations: FuzzTarget = {
  name: 'durations',
  about: 'a text is the duration that Go reads, or the error that Go gives; format and parse are a pair',
  share: 15,
  open() {
    return Promise.resolve({
      make(draw) {
        const text = Buffer.from(drawDuration(draw));
        return draw.chance(0.5) ? text : mutate(text, draw);
      },
      check(input) {
        const text = input.toString();
        const found = outcome(() => parseDuration(text));
        expectSame(
          `reading ${JSON.stringify(text)}`,
          found,
          outcome(() => goParse(text)),
        );
        if (found.startsWith('time:')) return;
        const value = BigInt(found);
        expectSame('reading what was written', String(parseDuration(formatDuration(value))), found);
      },
    });
  },
};

function drawDuration(draw: Draw): string {
  const parts = Array.from({ length: 1 + draw.below(3) }, () => {
    const number = draw.chance(0.5) ? draw.pick(numbers) : `${draw.below(1e6)}.${draw.below(1e9)}`;
    return number + draw.pick(units);
  });
  return draw.pick(['', '', '+', '-']) + parts.join('');
}

/** The value in digits, or the kind of error. */
function outcome(read: () => bigint): string {
  try {
    return String(read());
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return error.message.split('"')[0]!;
  }
}

const unitValues = new Map(
  Object.entries({ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }),
);
const top = 1n << 63n;
const isDigit = (sign: string | undefined): boolean => sign !== undefined && sign >= '0' && sign <= '9';

/** `time.ParseDuration` of Go 1.24, line by line. */
function goParse(original: string): bigint {
  const invalid = new DurationError('time: invalid duration "');
  let text = Array.from(original);
  let total = 0n;
  const negative = text[0] === '-';
  if (negative || text[0] === '+') text = text.slice(1);
  if (text.join('') === '0') return 0n;
  if (text.length === 0) throw invalid;
  while (text.length > 0) {
    if (text[0] !== '.' && !isDigit(text[0])) throw invalid;
    let value = 0n;
    let at = 0;
    for (; isDigit(text[at]); at++) {
      if (value > top / 10n) throw invalid;
      value = value * 10n + BigInt(text[at]!);
      if (value > top) throw invalid;
    }
    const before = at > 0;
    let after = false;
    let fraction = 0n;
    let scale = 1;
    if (text[at] === '.') {
      at++;
      let overflow = false;
      for (; isDigit(text[at]); at++) {
        after = true;
        if (overflow) continue;
        if (fraction > (top - 1n) / 10n) {
          overflow = true;
          continue;
        }
        const next = fraction * 10n + BigInt(text[at]!);
        if (next > top) {
          overflow = true;
          continue;
        }
        fraction = next;
        scale *= 10;
      }
    }
    if (!before && !after) throw invalid;
    const start = at;
    while (at < text.length && text[at] !== '.' && !isDigit(text[at])) at++;
    if (at === start) throw new DurationError('time: missing unit in duration "');
    const unit = unitValues.get(text.slice(start, at).join(''));
    if (unit === undefined) throw new DurationError('time: unknown unit "');
    if (value > top / BigInt(unit)) throw invalid;
    value *= BigInt(unit);
    if (fraction > 0n) {
      value += BigInt(Math.trunc(Number(fraction) * (unit / scale)));
      if (value > top) throw invalid;
    }
    total += value;
    if (total > top) throw invalid;
    text = text.slice(at);
  }
  if (negative) return -total;
  if (total > top - 1n) throw invalid;
  return total;
}
