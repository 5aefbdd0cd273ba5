import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../src/lib/go-duration.ts';

/** Text, and Go's normal form of it; taken from Go itself, but for parts of milliseconds. */
const accepted = {
  '0': '0s',
  '-0': '0s',
  '+0': '0s',
  '1h': '1h0m0s',
  '1h30m': '1h30m0s',
  '1.5h': '1h30m0s',
  '1500ms': '1.5s',
  '.5s': '500ms',
  '5.s': '5s',
  '1us': '1ms',
  '1\u00b5s': '1ms',
  '1\u03bcs': '1ms',
  '1500ns': '1ms',
  '1.1h': '1h6m0s',
  '0.33333333333333333333h': '20m0s',
  '3s2h1ms': '2h0m3.001s',
  '-1.5h': '-1h30m0s',
  '2540400h': '2540400h0m0s',
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
  '30m ': 'time: unknown unit "m " in duration "30m "',
  '1h 30m': 'time: unknown unit "h " in duration "1h 30m"',
  '5constructor': 'time: unknown unit "constructor" in duration "5constructor"',
  '2540400h1d"\\': 'time: unknown unit "d\\"\\\\" in duration "2540400h1d\\"\\\\"',
};

describe('durations of Go', () => {
  it.each(Object.entries(accepted))('reads %j as %s', (text, normal) => {
    expect(formatDuration(parseDuration(text))).toBe(normal);
  });

  const all = Object.entries(refused).flatMap(([words, texts]) =>
    texts.map((text) => [text, `time: ${words} "${text}"`] as const),
  );
  it.each([...all, ...Object.entries(unknown)])('refuses %j with the message of Go', (text, words) => {
    expect(() => parseDuration(text)).toThrow(new RangeError(words));
  });
});
