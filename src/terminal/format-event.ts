/** The lines that an event prints, on a terminal and in a log. The stack of an error is shown only with IDPORT_DEBUG. */
import type { EventOf } from '../events.ts';
import { printable, formatSeconds, formatBytes } from '../lib/format.ts';
import { type Paint, noPaint } from './paint.ts';
import type { RunState, Shown } from './run-state.ts';
import { formatEnd } from './summary.ts';
import { wrap, wrapMarked } from './text.ts';
import { inputName, ExitCode, IdportError, InterruptedError } from '../errors.ts';
import { systemTexts } from '../lib/system-errors.ts';

const indent = 5;

/** Returns the lines of an event, or undefined for events without lines. `state` is the state after the event. */
export function formatEvent(event: Shown, state: RunState, width: number, paint: Paint) {
  switch (event.type) {
    case 'notice':
      return formatNotice(event, width, paint);
    case 'record:rejected':
      return formatNthRejection(event, state.rejected, width, paint);
    case 'run:end':
    case 'export:end':
    case 'verify:end':
    case 'undo:end':
      return formatEnd(event, state, width, paint);
    case 'demo:step':
      // A command stays on one line, so that it can be copied.
      return [
        '',
        ...wrap(event.title, width, `${event.number}/${event.of}  `, indent).map(paint.title),
        ...event.commands.map((command) => paint.faint(`${' '.repeat(indent)}$ ${printable(command)}`)),
      ];
    case 'demo:result':
      return event.lines.flatMap((line) => wrap(printable(line), width, ' '.repeat(indent)).map(paint.good));
    case 'demo:end':
      return [
        '',
        `Done in ${formatSeconds(event.seconds)}. Nothing left this machine, and the temporary folder is deleted.`,
        ...(event.jit ? [] : [formatPage(event.page)]),
        'Next, with your own export: idport init <export> --rehearsal',
      ].flatMap((line) => wrap(line, width));
    case 'problem':
      return formatProblem(event, width, paint);
    default:
      return undefined;
  }
}

function formatPage(page: string | undefined) {
  return page === undefined
    ? 'To keep the page of this migration: idport demo --page cutover.html'
    : `The page of this migration: ${printable(page)}`;
}

/** Number of rejected records that are shown one by one. The report and the rejects file list all of them. */
export const shownRejections = 10;

export function formatStart(event: EventOf<'run:start'>) {
  const inputs =
    event.inputs.length > 3 ? `${event.inputs.length} inputs` : event.inputs.map(inputName).join(', ');
  const size = event.bytes === undefined ? '' : ` (${formatBytes(event.bytes)})`;
  return printable(`idport ${event.verb}${inputs === '' ? '' : `: ${inputs}`}${size}`);
}

export function formatNotice(event: EventOf<'notice'>, width: number, paint: Paint) {
  const [head, mark] =
    event.level === 'warning' ? (['warning: ', paint.warning] as const) : (['note: ', paint.faint] as const);
  return wrapMarked(head, mark, printable(event.text), width);
}

/** Returns `rejected: users.json #12 mia (4711): record:malformed, email is a number`. */
export function formatRejection(event: EventOf<'record:rejected'>, width: number, paint: Paint = noPaint) {
  const { place, code, detail } = event;
  const { userName = '' } = place;
  const name = userName === '' ? '' : ` ${userName}`;
  const id = place.id === '' || place.id === userName ? '' : ` (${place.id})`;
  const text = `${inputName(place.input)} #${place.index + 1}${name}${id}: ${code}${detail === '' ? '' : `, ${detail}`}`;
  return wrapMarked('rejected: ', paint.bad, printable(text), width);
}

/** Formats the n-th rejection: each one up to the limit, then one line that says there are more. */
function formatNthRejection(event: EventOf<'record:rejected'>, nth: number, width: number, paint: Paint) {
  if (nth <= shownRejections) return formatRejection(event, width, paint);
  if (nth === shownRejections + 1) {
    return wrap('further rejections are not shown here; --report=<file> lists all', width);
  }
  return [];
}

export type Problem = EventOf<'problem'>;

/** `debug` adds the stack, which may quote the input and is therefore never on by default. */
export function toProblem(error: unknown, debug = false): Problem {
  const stack = debug && error instanceof Error ? error.stack : undefined;
  const problem = describe(error);
  return { type: 'problem', ...problem, ...(stack !== undefined && { stack }) };
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
    hint: 'This is a bug in idport. Run again with IDPORT_DEBUG=1 and report what it prints, without secrets.',
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
