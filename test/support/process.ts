/** Runs the program as a process of its own; returns its exit code and both outputs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the tests bundled at their start; outside of them, such as in the chaos runs, what `npm run build` made. */
const program =
  process.env['IDPORT_TEST_PROGRAM'] ?? fileURLToPath(new URL('../../bin/idport.js', import.meta.url));

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** A command that runs it, such as one that gives it a PID namespace of its own. */
  readonly within?: readonly string[];
  /** Called at once, for what has to be done while it runs. */
  readonly meanwhile?: (child: ChildProcess) => void;
}

export async function runProcess(
  argv: readonly string[],
  { cwd, env = {}, stdin, within = [], meanwhile }: ProcessOptions,
): Promise<ProcessResult> {
  const [command = process.execPath, ...rest] = [...within, process.execPath, program, ...argv];
  const child = spawn(command, rest, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => {});
  if (stdin !== undefined) child.stdin.end(stdin);
  meanwhile?.(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
}
