/** Turns an error into one line and a hint. The stack is shown only with IDPORT_DEBUG. */
import { ExitCode, IdportError, InterruptedError } from '../errors.ts';
import type { EventOf } from '../events.ts';
import { noPaint, type Paint } from './paint.ts';
import { printable } from '../lib/format.ts';
import { systemTexts } from '../lib/system-errors.ts';
import { wrap, wrapMarked } from './text.ts';

export type Problem = EventOf<'problem'>;

/** `debug` adds the stack, which may quote the input and is therefore never on by default. */
export function toProblem(error: unknown, debug = false): Problem {
  const stack = debug && error instanceof Error ? error.stack : undefined;
  const problem = describe(error);
  return { type: 'problem', ...problem, ...(stack === undefined ? {} : { stack }) };
}

function describe(error: unknown): Omit<Problem, 'type'> {
  if (error instanceof IdportError) {
    const { code, message, hint, exitCode } = error;
    return { code, message, hint, exitCode };
  }
  if (error instanceof Error && error.name === 'AbortError') return describe(new InterruptedError());
  const system = systemProblem(error);
  if (system) return { ...system, exitCode: ExitCode.failed };
  return {
    code: 'unexpected',
    message: `unexpected: ${unexpectedMessage(error)}`,
    hint: 'This is a defect of idport. Run again with IDPORT_DEBUG=1 and report what it prints, without secrets.',
    exitCode: ExitCode.failed,
  };
}

function systemProblem(error: unknown) {
  if (!(error instanceof Error)) return undefined;
  const { code, path, address } = error as { code?: unknown; path?: unknown; address?: unknown };
  if (typeof code !== 'string') return undefined;
  const text = systemTexts[code];
  if (text === undefined) return undefined;
  const where = [path, address].find((part) => typeof part === 'string');
  return { code: `system:${code}`, message: where === undefined ? text : `${where}: ${text}` };
}

/** Omits the message of a SyntaxError, which quotes the text that could not be parsed. That may be a credential. */
function unexpectedMessage(error: unknown) {
  if (error instanceof SyntaxError) return 'a text could not be parsed';
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return 'something that is not an error was thrown';
}

export function formatProblem(problem: Problem, width: number, paint: Paint = noPaint) {
  const message = printable(problem.message);
  const interrupted = problem.exitCode === ExitCode.interrupted;
  return [
    ...(interrupted ? wrap(message, width, '', 2) : wrapMarked('error: ', paint.bad, message, width)),
    ...(problem.hint === undefined ? [] : wrap(printable(problem.hint), width, '  hint: ')),
    ...(problem.stack === undefined ? [] : problem.stack.split('\n').map(printable)),
  ];
}
