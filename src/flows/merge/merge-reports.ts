/** Adds up the reports (.json) of all shards of a run. */
import { UsageError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import type { Sink } from '../../lib/sink.ts';
import { withoutFlags } from '../../lib/format.ts';
import { checkShard, notOfRun } from '../source/shard.ts';
import type { RunFacts } from '../../wire/reports.ts';
import { addUp } from '../page/parts.ts';
import { readItems, readReport, type Report } from '../page/read-report.ts';

/** Throws `InputError` for a file that is not a report, `UsageError` for reports of different verbs. */
export async function mergeReports(inputs: readonly Input[], sink: Sink) {
  const reports: Report[] = [];
  for (const input of inputs) reports.push(await readReport(input));
  const [first] = reports;
  if (first === undefined) throw new UsageError('there is no report to merge');
  for (const [at, report] of reports.entries()) {
    const { name } = inputs[at]!;
    if (verbOf(report) !== verbOf(first)) {
      throw notOfRun(name, `is a report of ${verbOf(report)}, not of ${verbOf(first)}`);
    }
    checkShard(name, report.run?.shard, { index: at + 1, count: reports.length });
  }
  const { users: _, ...whole } = addReports(reports);
  await sink.write(`${JSON.stringify(whole).slice(0, -1)},"users":[`);
  let separator = '\n';
  for (const [at, input] of inputs.entries()) {
    for await (const items of readItems(input, reports[at]!)) {
      for (const item of items) {
        await sink.write(separator + JSON.stringify(item));
        separator = ',\n';
      }
    }
  }
  await sink.write('\n]}\n');
}

const verbOf = (report: Report) => ('verb' in report ? report.verb : report.format);

function addReports(reports: readonly Report[]) {
  const starts = reports.map(({ startedAt }) => Date.parse(startedAt));
  const startedAt = Math.min(...starts);
  const ends = reports.map(({ seconds }, at) => starts[at]! / 1000 + seconds);
  const runs = reports.flatMap(({ run }, at) => (run === undefined ? [] : [{ run, startedAt: starts[at]! }]));
  const [first] = reports;
  /** Returns the values of a member in the reports that have it. If the values are lists, returns their entries. */
  const all = (name: string): unknown[] =>
    reports.flatMap((report) => (report as unknown as Readonly<Record<string, unknown>>)[name] ?? []);
  const sum: object = {
    ...first!,
    startedAt: new Date(startedAt).toISOString(),
    seconds: Math.max(...ends) - startedAt / 1000,
    stopped: all('stopped')[0],
    requests: all('requests').reduce(addUp, undefined),
    logins: 'logins' in first! ? all('logins') : undefined,
    notices: 'notices' in first! ? unique(all('notices')) : undefined,
    run: runs.length === 0 ? undefined : addRuns(runs, startedAt),
    summary: all('summary').reduce(addUp, undefined),
  };
  return sum as Report;
}

interface TimedRun {
  readonly run: RunFacts;
  readonly startedAt: number;
}

function addRuns(runs: readonly TimedRun[], startedAt: number): RunFacts {
  const all = runs.map(({ run }) => run);
  const sum = all.reduce<unknown>(addUp, undefined) as RunFacts;
  return {
    ...sum,
    command: withoutFlags(sum.command, ['shard']),
    shard: undefined,
    journal: ofAll(sum.journal),
    rejects: ofAll(sum.rejects),
    inputs: unique(all.flatMap(({ inputs }) => inputs)),
    outputs: unique(all.flatMap(({ outputs }) => outputs)),
    timeline: addTimelines(runs, startedAt),
  };
}

/** Returns the name that the files of all shards have once they are joined. */
const ofAll = (name: string | undefined) => name?.replace(/\.\d+-of-\d+(?=\.[^./\\]*$|$)/, '');

const mostPoints = 240;

/** Adds up the records of all shards over the time since the first of them started. */
function addTimelines(runs: readonly TimedRun[], startedAt: number) {
  const points = runs
    .flatMap(({ run, startedAt: own }, shard) =>
      run.timeline.map(({ seconds, records }) => ({
        seconds: seconds + (own - startedAt) / 1000,
        records,
        shard,
      })),
    )
    .toSorted((a, b) => a.seconds - b.seconds);
  const done = runs.map(() => 0);
  const sums = points.map(({ seconds, records, shard }) => {
    done[shard] = records;
    return { seconds, records: done.reduce((sum, count) => sum + count, 0) };
  });
  const every = Math.ceil(sums.length / mostPoints);
  // The last point always stays.
  return sums.filter((_, at) => (sums.length - 1 - at) % every === 0);
}

function unique<Value>(values: readonly Value[]) {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
