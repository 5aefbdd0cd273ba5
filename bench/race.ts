/** Runs idport and its stand-ins in turns on one input and makes a row of each. */
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { BenchOptions, Row } from './bench.ts';
import { measureInTurns } from './measure.ts';

/** Rows whose name begins with `idport` are compared with all others. */
interface Entrant {
  readonly who: string;
  readonly command: readonly string[];
  /** Of a stand-in: idport is to be at least so many times as fast. */
  readonly goal?: number;
}

interface Race {
  readonly task: string;
  /** How many users the input has. */
  readonly count: number;
  readonly output: string;
  readonly entrants: readonly Entrant[];
  /** The goals are those of this entrant. */
  readonly judged: string;
  /** It is to take at most so much memory. */
  readonly maxBytes?: number;
}

export async function race(
  { task, count, output, entrants, judged, maxBytes }: Race,
  { runs, say }: BenchOptions,
): Promise<Row[]> {
  say(`${task}: ${entrants.map(({ who }) => who).join('; ')}`);
  const measured = await measureInTurns(
    entrants.map(({ command }) => command),
    runs,
    output,
  );
  const rows = entrants.map(({ who }, at): Row => {
    const { seconds, cpuSeconds, peakBytes } = measured[at]!;
    return { task, who, seconds, cpuSeconds, peakBytes, rate: `${formatCount(count / seconds)} users/s` };
  });
  const standIns = rows.filter(({ who }) => !who.startsWith('idport'));
  return rows.map((row) => {
    if (standIns.includes(row)) return row;
    const faster = standIns.map(({ who, seconds }) => ({ than: who, times: seconds / row.seconds }));
    if (row.who !== judged) return { ...row, faster };
    const goals = faster.flatMap(({ than, times }) => {
      const goal = entrants.find(({ who }) => who === than)?.goal;
      return goal === undefined ? [] : [verdict(`${goal} x ${than}`, times >= goal)];
    });
    if (maxBytes !== undefined && row.peakBytes !== undefined) {
      goals.push(verdict(`at most ${formatBytes(maxBytes)}`, row.peakBytes <= maxBytes));
    }
    return { ...row, faster, remark: goals.join('; ') };
  });
}

export function verdict(goal: string, reached: boolean): string {
  return `goal ${goal}: ${reached ? 'reached' : 'missed'}`;
}
