/** The program in this process: arguments in; exit code, events, files and standard output out. */
import type { ChildProcess } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { ProcessContext } from '../../src/commands/context.ts';
import type { Dialog } from '../../src/lib/dialog.ts';
import { InterruptedError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type Problem, toProblem } from '../../src/terminal/problem.ts';
import { decodeEvent } from './events.ts';
import { runProcess } from './process.ts';

export interface Ran {
  readonly exitCode: number;
  readonly events: readonly IdportEvent[];
  readonly problem: Problem | undefined;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly stdin?: string | Uint8Array;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  /** As a user at the terminal answers. */
  readonly askYes?: (question: string) => Promise<boolean>;
  readonly askSecret?: (question: string) => Promise<string>;
  readonly askLine?: (question: string) => Promise<string>;
  readonly dialog?: Dialog;
  /** For a command that runs until it is stopped: Ctrl-C after its first output, or its first notice. */
  readonly stopAtOutput?: boolean;
  /** In a process of its own, as threads and workers of the program need it. */
  readonly ownProcess?: boolean;
}

/** Runs a verb as the command line would, without a process round it. */
export async function runProgram(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, stdin = '', clock = systemClock, env = {}, askYes, askSecret, askLine, dialog } = options;
  const { stopAtOutput = false } = options;
  const installed = process.env['IDPORT_PACKAGE'];
  // An installed program would need a terminal to ask.
  if (installed !== undefined && dialog === undefined)
    return runInProcess(join(installed, 'node_modules/idport/bin/idport.js'), argv, options);
  if (options.ownProcess === true) return runInProcess(process.env['IDPORT_TEST_PROGRAM']!, argv, options);
  const events: IdportEvent[] = [];
  const stdout = new PassThrough();
  const written: Buffer[] = [];
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new InterruptedError());
  stdout.on('data', (chunk: Buffer) => {
    written.push(chunk);
    if (stopAtOutput) stop();
  });
  const { signal } = interrupt;
  setMaxListeners(0, signal);
  const context: ProcessContext = {
    emit: (event) => {
      events.push(event);
      if (stopAtOutput && event.type === 'notice' && isListening.test(event.text)) stop();
    },
    clock,
    signal,
    env,
    cwd,
    stdin: Readable.from([typeof stdin === 'string' ? Buffer.from(stdin) : stdin]),
    stdout,
    interactive: false,
    askYes,
    askSecret,
    askLine,
    dialog: dialog && (() => Promise.resolve(dialog)),
  };
  let exitCode = 0;
  let problem: Problem | undefined;
  const program = createProgram(
    '0.0.0',
    async (load, options) => {
      exitCode = await (await load())(options, context);
    },
    { out: (text) => void stdout.write(text), err: () => {} },
    { cwd, env },
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    problem = toProblem(error);
    exitCode = problem.exitCode;
  }
  return { exitCode, events, problem, stdout: Buffer.concat(written).toString() };
}

const isListening = /^Listening on /;

/** The same in a process, with the program of an installed package where `scripts/smoke.js` names its folder. */
async function runInProcess(
  program: string,
  argv: readonly string[],
  { cwd, stdin = '', env = {}, stopAtOutput = false }: RunOptions,
): Promise<Ran> {
  const run = { program, cwd, stdin, env, ...(stopAtOutput && { meanwhile: interruptAtOutput }) };
  const { stdout, stderr, exitCode } = await runProcess(['--json', ...argv], run);
  const events = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => decodeEvent(line).event);
  const problem = events.find((event) => event.type === 'problem');
  return { exitCode: exitCode ?? 130, stdout, events, problem };
}

function interruptAtOutput(child: ChildProcess) {
  let isStopped = false;
  // A second Ctrl-C would end it at once.
  const stop = () => {
    if (!isStopped) child.kill('SIGINT');
    isStopped = true;
  };
  child.stdout!.once('data', stop);
  child.stderr!.on('data', (block: Buffer) => {
    if (block.includes('"text":"Listening on ')) stop();
  });
}
