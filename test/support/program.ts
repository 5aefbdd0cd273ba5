/** The program in this process: arguments in; exit code, events, files and standard output out. */
import { setMaxListeners } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { CommandContext } from '../../src/commands/context.ts';
import type { IdportEvent } from '../../src/events.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type Problem, toProblem } from '../../src/terminal/problem.ts';

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
  /** As a person at the terminal answers. */
  readonly askYes?: (question: string) => Promise<boolean>;
}

/** Runs a verb as the command line would, without a process round it. */
export async function runProgram(
  argv: readonly string[],
  { cwd, stdin = '', clock = systemClock, env = {}, askYes }: RunOptions,
): Promise<Ran> {
  const events: IdportEvent[] = [];
  const stdout = new PassThrough();
  const written: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => written.push(chunk));
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const context: CommandContext = {
    emit: (event) => events.push(event),
    clock,
    signal,
    env,
    cwd,
    stdin: Readable.from([typeof stdin === 'string' ? Buffer.from(stdin) : stdin]),
    stdout,
    interactive: false,
    askYes,
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
