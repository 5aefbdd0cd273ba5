import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { type Input, locate, withLine } from '../../src/lib/input.ts';
import { blocksOf } from '../support/memory-input.ts';

function inputOf(text: string, repeatable = true): Input {
  return { name: 'in.json', size: undefined, repeatable, taken: () => 0, blocks: () => blocksOf(text, 3) };
}

describe('locating a byte', () => {
  it('counts lines at LF and columns in characters', async () => {
    const text = '{"é":\r\n "日本😀x"}\n';
    const place = async (part: string) =>
      locate(inputOf(text), Buffer.byteLength(text.slice(0, text.indexOf(part))));
    expect(await place('{')).toEqual({ offset: 0, line: 1, column: 1 });
    expect(await place(':')).toEqual({ offset: 5, line: 1, column: 5 });
    expect(await place('\n')).toEqual({ offset: 7, line: 1, column: 7 });
    expect(await place('x')).toEqual({ offset: 20, line: 2, column: 6 });
    expect(await locate(inputOf(text), Buffer.byteLength(text))).toEqual({ offset: 24, line: 3, column: 1 });
  });

  it('adds line and column to an error about one of the inputs', async () => {
    const error = new InputError('input:syntax', 'in.json', 'expected a value', 'Fix it.', undefined, {
      offset: 4,
    });
    const told = (await withLine(error, [inputOf('{\n {x')])) as InputError;
    expect(told.message).toBe('in.json:2:3 (byte 4): expected a value');
    expect([told.code, told.hint, told.exitCode]).toEqual(['input:syntax', 'Fix it.', 1]);
  });

  it('passes on every other error', async () => {
    const error = new InputError('input:syntax', 'other.json', 'x', undefined, undefined, { offset: 1 });
    expect(await withLine(error, [inputOf('ab')])).toBe(error);
    const once = new InputError('input:syntax', 'in.json', 'x', undefined, undefined, { offset: 1 });
    expect(await withLine(once, [inputOf('ab', false)])).toBe(once);
    const other = new Error('x');
    expect(await withLine(other, [inputOf('ab')])).toBe(other);
  });
});
