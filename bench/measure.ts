/** Runs commands and measures their wall time, processor time and peak memory. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command as users run it; standard error is a pipe, so there is no progress line. */
export const idport = [process.execPath, fileURLToPath(new URL('../bin/idport.js', import.meta.url))];
export const nodeVersion = process.versions.node;

export interface Measured {
  /** From the start of the process to its end, start-up included. */
  readonly seconds: number;
  /** Processor time of all threads: says more than the wall where the machine has other work. */
  readonly cpuSeconds: number | undefined;
  /** Resident memory of the whole process at its highest; undefined without GNU time. */
  readonly peakBytes: number | undefined;
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** GNU time reports the peak of any process. */
const timer = '/usr/bin/time';

/** Runs once. Standard output goes nowhere, standard error comes back. */
export async function measure(command: readonly string[]): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'idport-bench-'));
  const costFile = join(folder, 'cost');
  const timed = existsSync(timer) ? [timer, '-f', '%M %U %S', '-o', costFile, ...command] : command;
  const [program = '', ...args] = timed;
  try {
    const begin = performance.now();
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    const seconds = (performance.now() - begin) / 1000;
    return { seconds, ...readCost(costFile), exitCode, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs all commands in turns, so that whatever else the machine does meets all of them, and gives the median of each by
 * time with the highest peak of its runs. Throws when a run fails. The output is gone before each run: removing it is
 * not a part of what is measured.
 */
export async function measureInTurns(
  commands: readonly (readonly string[])[],
  runs: number,
  output: string,
): Promise<Measured[]> {
  const all = commands.map((): Measured[] => []);
  for (let run = 0; run < runs; run++) {
    for (const [at, command] of commands.entries()) {
      rmSync(output, { force: true });
      const measured = await measure(command);
      if (measured.exitCode !== 0) {
        throw new Error(
          `${command.join(' ')} ended with ${measured.exitCode}: ${measured.stderr.slice(-500)}`,
        );
      }
      all[at]!.push(measured);
    }
  }
  return all.map(medianOf);
}

function medianOf(runs: readonly Measured[]): Measured {
  const median = runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)];
  if (median === undefined) throw new Error('a measurement needs at least one run');
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? []);
  return { ...median, peakBytes: peaks.length > 0 ? Math.max(...peaks) : undefined };
}

/** Reads a file once, so that every command finds it in the page cache. */
export function warm(path: string): void {
  spawnSync('cat', [path], { stdio: 'ignore' });
}

function readCost(path: string): Pick<Measured, 'cpuSeconds' | 'peakBytes'> {
  if (!existsSync(path)) return { cpuSeconds: undefined, peakBytes: undefined };
  const line = readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? '';
  const [kilobytes = Number.NaN, user = Number.NaN, system = Number.NaN] = line.split(' ').map(Number);
  return { cpuSeconds: user + system, peakBytes: kilobytes * 1024 };
}
