/** How long it takes until something stands on the screen: `--version` and `--help` beside a bare `node -e 0`, in turns. */
import { fileURLToPath } from 'node:url';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { measure } from './measure.ts';

const program = fileURLToPath(new URL('../bin/idport.js', import.meta.url));
const task = 'start-up';

/** `goal`: at most so many times the stand-in. */
const candidates: readonly {
  readonly who: string;
  readonly args: readonly string[];
  readonly goal?: number;
}[] = [
  { who: 'node -e 0', args: ['-e', '0'] },
  { who: 'idport --version', args: [program, '--version'], goal: 1.5 },
  { who: 'idport --help', args: [program, '--help'], goal: 2 },
  { who: 'idport migrate keycloak --help', args: [program, 'migrate', 'keycloak', '--help'], goal: 2 },
];

/** One start is too short for the clock of processor time: it counts in hundredths of a second. */
const turnsPerRun = 10;

export const startupBench: Bench = {
  name: 'startup',
  about: 'idport --version and --help beside a bare node',
  async *rows({ runs, say }: BenchOptions): AsyncIterable<Row> {
    const turns = runs * turnsPerRun;
    say(`${turns} turns of each`);
    const times = candidates.map((): { wall: number[]; cpu: number[]; peak: number } => ({
      wall: [],
      cpu: [],
      peak: 0,
    }));
    for (let turn = 0; turn <= turns; turn++) {
      for (const [at, { args }] of candidates.entries()) {
        const { seconds, cpuSeconds = NaN, peakBytes = 0 } = await measure([process.execPath, ...args]);
        const own = times[at]!;
        // The first turn reads the files into the cache of the system.
        if (turn === 0) continue;
        own.wall.push(seconds);
        own.cpu.push(cpuSeconds);
        own.peak = Math.max(own.peak, peakBytes);
      }
    }
    const [bare] = times;
    for (const [at, { who, goal }] of candidates.entries()) {
      const { wall, cpu, peak } = times[at]!;
      const seconds = median(wall);
      const row: Row = { task, who, seconds, cpuSeconds: mean(cpu), peakBytes: peak };
      if (goal === undefined || bare === undefined) yield row;
      else yield { ...row, remark: compare(seconds / median(bare.wall), mean(cpu) / mean(bare.cpu), goal) };
    }
  },
};

function compare(wall: number, cpu: number, goal: number): string {
  const verdict = Math.max(wall, Number.isNaN(cpu) ? 0 : cpu) <= goal ? 'kept' : 'missed';
  return `${wall.toFixed(2)} times node -e 0, ${cpu.toFixed(2)} times its processor time; goal ${goal}: ${verdict}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
