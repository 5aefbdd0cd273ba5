import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  readBool,
  readDecimal,
  readDuration,
  readReportPath,
  readId,
  readPair,
  readRate,
  readTimeout,
  wholeNumber,
} from '../../src/lib/flag.ts';

const port = wholeNumber(0, 65_535);
const idp = (flag: string, text: string) => readPair(flag, text, '<alias>=<id>', '').join(' ');

it.each([
  ['--timeout', readTimeout, '1.5h', '1h30m0s'],
  ['--rate', readRate, '50/s', 50],
  ['--rate', readRate, '50', 50],
  ['--rate', readRate, '0.5/s', 0.5],
  ['--rate', readRate, '600/m', 10],
  ['--rate', readRate, 'none', Infinity],
  ['--rate', readRate, 'unlimited', Infinity],
  ['--idp', idp, 'a=b=c', 'a b=c'],
  ['--email-verified', readBool, 'TRUE', true],
  ['--lag', readDuration, '596h', 596 * 3_600_000],
])('%s %o takes %s as %s', (flag, read, text, value) => {
  expect(read(flag, text)).toBe(value);
});

it.each([
  ['--timeout', readTimeout, ['0', '-5m', '30', '']],
  ['--rate', readRate, ['0', '50/h']],
  ['--port', port, ['65536', 'x']],
  ['--lag', readDuration, ['2', '-1s', '597h']],
  ['--org', readId, ['', ' ']],
  ['--report', readReportPath, ['report.txt', 'report']],
  ['--idp', idp, ['a', '=b', 'a= ']],
  ['--email-verified', readBool, ['perhaps', '']],
  ['--seconds-per-user', readDecimal, ['-1', '']],
])('%s %o refuses %j', (flag, read, texts) => {
  for (const text of texts) {
    expect(() => read(flag, text)).toThrow(UsageError);
    expect(() => read(flag, text)).toThrow(flag);
  }
});
