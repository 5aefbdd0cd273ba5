/** Start-up and a file of 100 users beside a bare `node -e 0`, in turns. */
import { fileURLToPath } from 'node:url';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { keycloakExport } from './keycloak/generate.ts';
import { measure } from './measure.ts';
import { verdict } from './race.ts';

const program = fileURLToPath(new URL('../bin/idport.js', import.meta.url));
const task = 'start-up';
const small = fileURLToPath(new URL('data/small-body.json', import.meta.url));

interface Candidate {
  readonly who: string;
  readonly args: readonly string[];
  /** At most so many times as long as the first one. */
  readonly goal?: number;
}

const makeCandidates = (): readonly Candidate[] => [
  { who: 'node -e 0', args: ['-e', '0'] },
  { who: 'idport --version', args: [program, '--version'], goal: 1.5 },
  { who: 'idport --help', args: [program, '--help'], goal: 2 },
  { who: 'idport migrate keycloak --help', args: [program, 'migrate', 'keycloak', '--help'], goal: 2 },
  {
    who: 'idport migrate keycloak, 100 users',
    args: [
      program,
      'migrate',
      'keycloak',
      '--org=1',
      `--realm=${keycloakExport('varied', 100).path}`,
      `--output=${small}`,
    ],
    goal: 2.5,
  },
];

/** The clock of processor time counts in hundredths of a second, so one start is too short for it. */
const turnsPerRun = 10;

export const startupBench: Bench = {
  name: 'startup',
  about: 'idport --version, --help and a conversion of 100 users beside a bare node',
  async *rows({ runs, say }: BenchOptions): AsyncIterable<Row> {
    const candidates = makeCandidates();
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
  const reached = Math.max(wall, Number.isNaN(cpu) ? 0 : cpu) <= goal;
  return `${wall.toFixed(2)} times node -e 0, ${cpu.toFixed(2)} times its processor time; ${verdict(`at most ${goal}`, reached)}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
