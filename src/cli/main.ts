/** Runs the command line: arguments, environment, signals, exit code. The only file that exits. */
import { setMaxListeners } from 'node:events';
import { appendFileSync, closeSync } from 'node:fs';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommanderError } from 'commander';
import type { ProcessContext } from '../commands/context.ts';
import { ExitCode, InterruptedError, OutputClosedError } from '../errors.ts';
import type { Emit } from '../events.ts';
import { systemClock } from '../lib/clock.ts';
import { redactText } from '../lib/redact.ts';
import { createProgram, type GlobalOptions } from './program.ts';
import { describeVerb } from './shape.ts';
import { tree } from './verbs/index.ts';
import { print, standardOutput } from '../storage/stream-sink.ts';
import { discardUnfinished } from '../storage/file-sink.ts';

const interrupt = new AbortController();
let stdout: Writable;

/** Called by `main`, not on import, because the bundle has this file in a module that the library loads as well. */
function takeOverProcess() {
  // Each open request adds a listener, and Node would warn of a leak.
  setMaxListeners(0, interrupt.signal);
  // If a host has several addresses, Node gives each but the last a quarter of a second, too little for a distant one.
  setDefaultAutoSelectFamilyAttemptTimeout(Math.max(1000, getDefaultAutoSelectFamilyAttemptTimeout()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  // The terminal was closed. A process that shows nothing there goes on: under nohup, whose setting Node undoes, or as a
  // service.
  process.on('SIGHUP', isatty(1) || isatty(2) ? stop : () => {});
  process.on('exit', discardUnfinished);
  // Node 20 aborts where it restores the settings of a terminal that is gone, but not those of a closed file.
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on('exit', () => terminals.forEach((fd) => isatty(fd) || closeSync(fd)));
  // The run goes on even if nothing reads its messages.
  process.stderr.on('error', () => {});
  stdout = standardOutput(process.stdout);
}

export async function main(argv: readonly string[], version: string) {
  takeOverProcess();
  const shell = process.env['IDPORT_COMPLETE'];
  if (shell) return complete(argv, shell);
  // Lists of processes show the title. Setting it removes a password that was typed into an address.
  process.title = redactText(['idport', ...argv].join(' '));
  const texts: Promise<void>[] = [];
  const out = (text: string) => {
    const printed = print(stdout, text);
    // Awaited at the end. A failure before that must not count as unhandled.
    printed.catch(() => undefined);
    texts.push(printed);
  };
  const err = (text: string) => process.stderr.write(text);
  const program = createProgram(version, { out, err }, { cwd: process.cwd(), env: process.env });
  const fail = (error: unknown) =>
    run(program.globals(), async () => {
      throw error;
    });
  try {
    const { load, options } = await program.parse(argv);
    return await run(program.globals(), async (context) => (await load())(options, context));
  } catch (error) {
    if (!(error instanceof CommanderError)) return await fail(error);
    // A verb that needs a sub-verb has printed its help on standard error.
    if (error.exitCode !== 0) return ExitCode.usage;
  }
  // Help or the version was asked for.
  return Promise.all(texts).then(() => ExitCode.done, fail);
}

/** Prints what may follow the words, for the completion script of a shell. */
async function complete(words: readonly string[], shell: string) {
  const { formatOffers, offersFor } = await import('./completion.ts');
  await print(stdout, formatOffers(offersFor(describeVerb(tree), words), shell));
  return ExitCode.done;
}

/** Runs a command. An error becomes one line and an exit code. */
async function run(options: GlobalOptions, command: (context: ProcessContext) => Promise<ExitCode>) {
  const interactive = process.stderr.isTTY && !process.env['CI'];
  const { chooseReporter, warnOfTlsOnce } = await import('../terminal/reporter.ts');
  const report = await chooseReporter({
    color: true,
    ...options,
    stderr: process.stderr,
    interactive,
    env: process.env,
    clock: systemClock,
    summarize: summaryOfStep(process.env['GITHUB_STEP_SUMMARY']),
  });
  const emit = warnOfTlsOnce(report, process);
  try {
    const watched = interactive && options.json !== true && options.quiet !== true;
    return await command(createContext(emit, watched));
  } catch (error) {
    // The reader has closed the output (`| head`), which is no failure unless the output was a file.
    if (error instanceof OutputClosedError && error.exitCode !== ExitCode.failed) {
      emit({ type: 'output:closed' });
      return error.exitCode;
    }
    const { toProblem } = await import('../terminal/format-event.ts');
    const problem = toProblem(error, Boolean(process.env['IDPORT_DEBUG']));
    emit(problem);
    return problem.exitCode;
  } finally {
    discardUnfinished();
  }
}

/** Returns a function that appends Markdown to the file. A summary that cannot be written does not fail the run. */
function summaryOfStep(path: string | undefined): ((markdown: string) => void) | undefined {
  if (!path) return undefined;
  return (markdown) => {
    try {
      appendFileSync(path, markdown);
    } catch (error) {
      process.stderr.write(`warning: the summary of the step cannot be written: ${String(error)}\n`);
    }
  };
}

/** `watched` means that a user sees questions. */
function createContext(emit: Emit, watched: boolean): ProcessContext {
  const { stdin, stderr } = process;
  return {
    emit,
    clock: systemClock,
    signal: interrupt.signal,
    env: process.env,
    cwd: process.cwd(),
    stdin,
    stdout,
    ownProcess: true,
    askSecret: stdin.isTTY
      ? async (question) => (await import('../terminal/dialog.ts')).askSecret(stdin, stderr, question)
      : undefined,
    dialog:
      stdin.isTTY && watched
        ? async () => (await import('../terminal/dialog.ts')).createDialog(stdin, stderr)
        : undefined,
  };
}

/** The first signal lets the run end cleanly, the second ends it at once. */
function stop() {
  if (interrupt.signal.aborted) process.exit(ExitCode.interrupted);
  interrupt.abort(new InterruptedError());
}
