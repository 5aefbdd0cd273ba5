import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { readTimeout } from '../../src/lib/flag-values.ts';

describe('--timeout', () => {
  it.each([
    ['30m', '30m0s'],
    ['1h', '1h0m0s'],
    ['1.5h', '1h30m0s'],
    ['90s', '1m30s'],
    ['500ms', '500ms'],
  ])('%s is written as %s', (text, written) => {
    expect(readTimeout('--timeout', text)).toBe(written);
  });

  it.each(['0', '0s', '-5m', '30', 'half an hour', ''])(
    '%j is refused: no import could end in it',
    (text) => {
      expect(() => readTimeout('--timeout', text)).toThrow(UsageError);
    },
  );
});
