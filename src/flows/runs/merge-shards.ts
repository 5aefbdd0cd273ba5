/** Joins the files of all shards of a run: journals into one that can be resumed, verified and undone, and reports (.json). */
import { basename } from 'node:path';
import { findDifference } from '../../journal/journal.ts';
import { beginsAsJournal, type JournalProgress, loadJournal, readLines } from '../../journal/load.ts';
import { encodeLine, type JournalHeader, type Line } from '../../journal/lines.ts';
import { withoutFlags, withoutShard } from '../../lib/format.ts';
import { objectOf } from '../../lib/json-value.ts';
import { checkShard, notOfRun } from '../read/read-users.ts';
import type { Sink } from '../../lib/sink.ts';
import type { Input } from '../../lib/input.ts';
import type { RunFacts } from '../../wire/reports.ts';
import { addUp, readItems, readReport, type Report } from '../page/parts.ts';

/** Looks at the beginning of the file, because a journal may have any name. */
export const isJournal = beginsAsJournal;

/** Returns whether all shards are finished. Throws `UsageError` for journals that are not the shards of one run. */
export async function mergeJournals(paths: readonly string[], sink: Sink) {
  const journals: JournalProgress[] = [];
  for (const path of paths) journals.push(await loadJournal(path));
  const header = mergeHeaders(
    paths,
    journals.map((journal) => journal.header),
  );
  await sink.write(`${encodeLine({ kind: 'header', header })}\n`);
  let attempts = 0;
  for (const path of paths) {
    // Attempts of a shard are numbered after those of the shard before.
    const before = attempts;
    for await (const { line } of readLines(path)) {
      const moved = withAttempt(line, before);
      if (moved === undefined) continue;
      attempts = Math.max(attempts, moved.kind === 'intent' ? moved.intent.attempt : 0);
      await sink.write(`${encodeLine(moved)}\n`);
    }
  }
  const finished = journals.every((journal) => journal.finished);
  const at = Math.max(...journals.map(({ endedAt = 0 }) => endedAt));
  if (finished) await sink.write(`${encodeLine({ kind: 'end', at, attempts })}\n`);
  return { finished };
}

/** Joins the headers. Entries have the same numbers in all shards. */
function mergeHeaders(paths: readonly string[], headers: readonly JournalHeader[]): JournalHeader {
  const merged = headers.map((header) => {
    const { shard: _, ...settings } = header.settings;
    return { ...header, settings };
  });
  const first = merged[0]!;
  for (const [at, { settings }] of headers.entries()) {
    checkShard(paths[at]!, settings['shard'], { index: at + 1, count: paths.length });
    const difference = findDifference(first, merged[at]!);
    if (difference !== undefined) throw notOfRun(paths[at]!, `does not belong to ${paths[0]}: ${difference}`);
  }
  const newest = merged.flatMap(({ newestBefore }) => newestBefore ?? []);
  return {
    ...first,
    startedAt: Math.min(...merged.map(({ startedAt }) => startedAt)),
    newestBefore: newest.length < merged.length ? undefined : Math.min(...newest),
    // The shard that looked first creates all, whichever that was. Two that looked at once name the same.
    creates: unique(merged.flatMap(({ creates = [] }) => creates)),
    follows: unique(merged.flatMap(({ follows = [] }) => follows)),
    merges: paths.map((path) => basename(path)),
    typed: first.typed && withoutFlags(first.typed, ['shard', 'rate-store', 'journal', 'id-map']),
  };
}

/** Renumbers the attempt of a line. Undefined for lines that a journal has only once. */
function withAttempt(line: Line, before: number): Line | undefined {
  switch (line.kind) {
    case 'intent':
      return { kind: 'intent', intent: { ...line.intent, attempt: line.intent.attempt + before } };
    case 'outcome':
      return { kind: 'outcome', outcome: { ...line.outcome, attempt: line.outcome.attempt + before } };
    default:
      return undefined;
  }
}

/** Throws `InputError` for a file that is not a report, `UsageError` for reports of different verbs. */
export async function mergeReports(inputs: readonly Input[], sink: Sink) {
  const reports: Report[] = [];
  for (const input of inputs) reports.push(await readReport(input));
  const first = reports[0]!;
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
  const runs = reports.flatMap(({ run }) => run ?? []);
  const [first] = reports;
  /** Returns the values of a member in the reports that have it. If the values are lists, returns their entries. */
  const all = (name: string): unknown[] => reports.flatMap((report) => objectOf(report)[name] ?? []);
  const sum: object = {
    ...first!,
    startedAt: new Date(startedAt).toISOString(),
    seconds: Math.max(...ends) - startedAt / 1000,
    stopped: all('stopped')[0],
    requests: all('requests').reduce(addUp, undefined),
    logins: 'logins' in first! ? all('logins') : undefined,
    notices: 'notices' in first! ? unique(all('notices')) : undefined,
    run: runs.length === 0 ? undefined : addRuns(runs),
    summary: all('summary').reduce(addUp, undefined),
  };
  return sum as Report;
}

function addRuns(all: readonly RunFacts[]): RunFacts {
  const sum = all.reduce<unknown>(addUp, undefined) as RunFacts;
  return {
    ...sum,
    command: withoutFlags(sum.command, ['shard']),
    shard: undefined,
    journal: sum.journal && withoutShard(sum.journal),
    rejects: sum.rejects && withoutShard(sum.rejects),
    inputs: unique(all.flatMap(({ inputs }) => inputs)),
    outputs: unique(all.flatMap(({ outputs }) => outputs)),
    // Each shard has its own.
    timeline: [],
  };
}

function unique<Value>(values: readonly Value[]) {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
