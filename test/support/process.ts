/** Runs the program, or another command, as a process of its own; returns its exit code and both outputs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What the tests bundled at their start; outside of them, such as in the chaos runs, what `npm run build` made. */
const usualProgram =
  process.env['IDPORT_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/idport.js', import.meta.url));

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Called at once, for what has to be done while it runs. */
  readonly meanwhile?: (child: ChildProcess) => void;
}

export interface ProcessOptions extends CommandOptions {
  /** A command that runs it, such as one that gives it a PID namespace of its own. */
  readonly within?: readonly string[];
  readonly program?: string;
}

export function runProcess(
  argv: readonly string[],
  { within = [], program = usualProgram, ...options }: ProcessOptions,
): Promise<ProcessResult> {
  const [command = process.execPath, ...rest] = [...within, process.execPath, program, ...argv];
  return runCommand(command, rest, options);
}

export async function runCommand(
  command: string,
  argv: readonly string[],
  { cwd, env = {}, stdin, meanwhile }: CommandOptions,
): Promise<ProcessResult> {
  const child = spawn(command, argv, { cwd, env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  if (stdin !== undefined) child.stdin.end(stdin);
  meanwhile?.(child);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([
    // A test may close it early.
    text(child.stdout).catch(() => ''),
    text(child.stderr),
    closed,
  ]);
  return { exitCode, signal, stdout, stderr };
}
