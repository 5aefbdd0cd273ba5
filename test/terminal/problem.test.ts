import { expect, it } from 'vitest';
import { ExitCode, InputError, InterruptedError, UsageError } from '../../src/errors.ts';
import { formatProblem, toProblem } from '../../src/terminal/format-event.ts';

const lines = (error: unknown, width = 80) => formatProblem(toProblem(error), width).join('\n');

it('formatProblem prints one line and a hint', () => {
  const error = new InputError(
    'input:truncated',
    'realm.json',
    'the file ends in the middle of a user',
    'Export again.',
    undefined,
    { offset: 812, line: 3, column: 17 },
  );
  expect(lines(error)).toBe(
    'error: realm.json:3:17 (byte 812): the file ends in the middle of a user\n  hint: Export again.',
  );
  expect(toProblem(error)).toMatchObject({ code: 'input:truncated', exitCode: ExitCode.failed });
});

it('formatProblem keeps the exit code of the error', () => {
  expect(toProblem(new UsageError('no such flag')).exitCode).toBe(ExitCode.usage);
  expect(toProblem(new InterruptedError()).exitCode).toBe(ExitCode.interrupted);
  expect(toProblem(new DOMException('This operation was aborted', 'AbortError'))).toMatchObject({
    code: 'interrupted',
    exitCode: ExitCode.interrupted,
  });
});

const full = { code: 'ENOSPC', path: 'out/importBody.json' };
it.each([
  ['an interruption without "error"', new InterruptedError('after 12 users'), 'after 12 users'],
  [
    'operating system codes in words',
    Object.assign(new Error('ENOSPC: no space left on device, write'), full),
    'error: out/importBody.json: the disk is full',
  ],
  [
    'an unexpected error as a bug',
    new TypeError('x is not a function'),
    'error: unexpected: x is not a function\n  hint: This is a bug in idport. Run again with IDPORT_DEBUG=1 and report what it prints, without secrets.',
  ],
  [
    'something thrown that is not an error',
    'just a text',
    'error: unexpected: something that is not an error was thrown\n  hint: This is a bug in idport. Run again with IDPORT_DEBUG=1 and report what it prints, without secrets.',
  ],
  [
    'terminal control characters escaped',
    new UsageError('no file \u001b]0;owned\u0007'),
    'error: no file \\u001b]0;owned\\u0007',
  ],
  [
    'no place in standard input where there is none',
    new InputError('input:empty', '-', 'it is empty'),
    'error: standard input: it is empty',
  ],
])('formatProblem prints %s', (_, error, text) => {
  expect(lines(error, 200)).toBe(text);
});

it('formatProblem does not repeat text that a parser quotes', () => {
  let thrown: unknown;
  try {
    JSON.parse('secret-canary');
  } catch (error) {
    thrown = error;
  }
  expect(String(thrown)).toContain('secret-c');
  expect(lines(thrown)).not.toContain('secret-c');
});

it('formatProblem prints a stack only on request', () => {
  const error = new Error('broken');
  expect(toProblem(error)).not.toHaveProperty('stack');
  expect(formatProblem(toProblem(error, true), 80).join('\n')).toContain('problem.test.ts');
});
