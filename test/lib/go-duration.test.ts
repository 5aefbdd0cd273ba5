import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DurationError, durationToMs, formatDuration, parseDuration } from '../../src/lib/go-duration.ts';

const largest = 2n ** 63n - 1n;

/** Text, and Go's normal form of it; taken from Go itself. */
const accepted = {
  '0': '0s',
  '-0': '0s',
  '+0': '0s',
  '30m': '30m0s',
  '1h': '1h0m0s',
  '60m': '1h0m0s',
  '1h30m': '1h30m0s',
  '1.5h': '1h30m0s',
  '90s': '1m30s',
  '500ms': '500ms',
  '1500ms': '1.5s',
  '.5s': '500ms',
  '5.s': '5s',
  '1us': '1µs',
  '1\u00b5s': '1µs',
  '1\u03bcs': '1µs',
  '1ns': '1ns',
  '1500ns': '1.5µs',
  '1.0000000009s': '1s',
  '0.33333333333333333333h': '20m0s',
  '0.100000000000000000000h': '6m0s',
  '3s2h1ms': '2h0m3.001s',
  '-5m': '-5m0s',
  '+5m': '5m0s',
  '-1.5h': '-1h30m0s',
  '2562047h47m16.854775807s': '2562047h47m16.854775807s',
  '-2562047h47m16.854775808s': '-2562047h47m16.854775808s',
  '9223372036854775807ns': '2562047h47m16.854775807s',
};

/** Texts, by the words with which Go refuses them before it quotes them. */
const refused = {
  'missing unit in duration': ['3', '30', '1h30', '1.2.3s'],
  'invalid duration': [
    '',
    ' 30m',
    '-',
    '+',
    '+-1s',
    '.s',
    's',
    '2562048h',
    '9223372036854775808ns',
    '-9223372036854775809ns',
    '99999999999999999999999ns',
  ],
};

/** Units that Go does not know, in its own words. */
const unknown = {
  '1d': 'time: unknown unit "d" in duration "1d"',
  '5M': 'time: unknown unit "M" in duration "5M"',
  '30m ': 'time: unknown unit "m " in duration "30m "',
  '1h 30m': 'time: unknown unit "h " in duration "1h 30m"',
  '5constructor': 'time: unknown unit "constructor" in duration "5constructor"',
  '1,5h': 'time: unknown unit "," in duration "1,5h"',
  '2540400h1d"\\': 'time: unknown unit "d\\"\\\\" in duration "2540400h1d\\"\\\\"',
  '1\u00e9\n': 'time: unknown unit "\\xc3\\xa9\\x0a" in duration "1\\xc3\\xa9\\x0a"',
};

describe('durations of Go', () => {
  it.each(Object.entries(accepted))('reads %j as %s', (text, normal) => {
    expect(formatDuration(parseDuration(text))).toBe(normal);
  });

  const all = Object.entries(refused).flatMap(([words, texts]) =>
    texts.map((text) => [text, `time: ${words} "${text}"`] as const),
  );
  it.each([...all, ...Object.entries(unknown)])('refuses %j with the message of Go', (text, words) => {
    expect(() => parseDuration(text)).toThrow(new DurationError(words));
  });

  it('round-trips every duration', () => {
    const duration = fc.oneof(
      fc.bigInt({ min: -largest - 1n, max: largest }),
      fc.bigInt({ min: -5_000_000_000n, max: 5_000_000_000n }),
      fc.bigInt({ min: -10_000n, max: 10_000n }).map((seconds) => seconds * 1_000_000_000n),
    );
    fc.assert(
      fc.property(duration, (value) => {
        expect(parseDuration(formatDuration(value))).toBe(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('rounds up to whole milliseconds for timers', () => {
    expect(durationToMs(parseDuration('1.5s'))).toBe(1500);
    expect(durationToMs(parseDuration('1ns'))).toBe(1);
    expect(durationToMs(parseDuration('30m'))).toBe(1_800_000);
  });
});
