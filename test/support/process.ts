/** Runs the program, or another command, as a separate process, until it ends or is killed at a given moment. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { root } from './folder.ts';

/** A program that is run by this is process 1, as in a container. */
export const separate = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];
export const canSeparate = () => spawnSync('unshare', [...separate.slice(1), 'true']).status === 0;

/** What the tests bundled at their start; outside of them, such as in the chaos runs, what `npm run build` made. */
const usualProgram = process.env['IDPORT_TEST_PROGRAM'] ?? `${root}bin/idport.js`;

export type ProcessResult = Awaited<ReturnType<typeof runCommand>>;

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
) {
  const [command = process.execPath, ...rest] = [...within, process.execPath, program, ...argv];
  return runCommand(command, rest, options);
}

export async function runCommand(
  command: string,
  argv: readonly string[],
  { cwd, env = {}, stdin, meanwhile }: CommandOptions,
) {
  const child = spawn(command, argv, { cwd, env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
  // A test may close either of them early: what came before counts.
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const closed = once(child, 'close');
  child.stdin.on('error', () => {});
  if (stdin !== undefined) child.stdin.end(stdin);
  meanwhile?.(child);
  const [exitCode, signal] = (await closed) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, stdout, stderr };
}

export interface KillMoment {
  readonly signal: NodeJS.Signals;
  /** As soon as this file is longer than so many bytes; from the start of the process when absent. */
  readonly file?: string;
  readonly bytes?: number;
  /** And so many milliseconds more. */
  readonly after?: number;
}

/** For `meanwhile` of `runProcess`. A process that ends by itself is left alone. */
export function endAt({ signal, file, bytes = 0, after = 0 }: KillMoment): (child: ChildProcess) => void {
  return (child) => {
    const end = () => child.kill(signal);
    const look = () => {
      const size = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? -1);
      if (file !== undefined && size <= bytes) timer = setTimeout(look, 1);
      else if (after > 0) timer = setTimeout(end, after);
      else end();
    };
    let timer = setTimeout(look, 1);
    child.once('exit', () => clearTimeout(timer));
  };
}
