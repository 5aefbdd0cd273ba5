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
  const piped = new InputError('input:empty', '-', 'it is empty');
  expect(lines(piped)).toBe('error: standard input: it is empty');
});

it('formatProblem keeps the exit code of the error', () => {
  expect(toProblem(new UsageError('no such flag')).exitCode).toBe(ExitCode.usage);
  expect(toProblem(new InterruptedError()).exitCode).toBe(ExitCode.interrupted);
  expect(toProblem(new DOMException('This operation was aborted', 'AbortError'))).toMatchObject({
    code: 'interrupted',
    exitCode: ExitCode.interrupted,
  });
});

it('formatProblem prints an interruption without "error"', () => {
  expect(lines(new InterruptedError('interrupted after 12 users'))).toBe('interrupted after 12 users');
});

it('formatProblem words operating system codes', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    path: 'out/importBody.json',
  });
  expect(lines(error)).toBe('error: out/importBody.json: the disk is full');
});

it('formatProblem reports an unexpected error as a defect', () => {
  expect(lines(new TypeError('x is not a function'), 200)).toBe(
    'error: unexpected: x is not a function\n  hint: This is a defect of idport. ' +
      'Run again with IDPORT_DEBUG=1 and report what it prints, without secrets.',
  );
  expect(lines('just a text')).toContain('something that is not an error was thrown');
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

it('formatProblem escapes terminal control characters', () => {
  expect(lines(new UsageError('no file \u001b]0;owned\u0007'))).toBe('error: no file \\u001b]0;owned\\u0007');
});
