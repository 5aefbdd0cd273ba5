/** Records a run for its report, and writes a short report if the run ends before it has its own. */
import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { ExitCode, isOfOtherRun } from '../errors.ts';
import { type Emit, note } from '../events.ts';
import { openReport } from '../flows/report/open-report.ts';
import { listFacts, reportBeginning, shortReport, type ReportContents } from '../flows/report/report.ts';
import { createRunMetrics } from '../flows/report/run-metrics.ts';
import { createOutputs, keepPrevious } from '../storage/file-sink.ts';
import { statIfThere } from '../storage/same-file.ts';
import { toProblem } from '../terminal/format-event.ts';
import type { ProcessContext } from './context.ts';
import { ownFile } from './shard.ts';
import { readPart } from '../lib/file-part.ts';
import { markdownText } from '../lib/markdown.ts';
import { stopwatch } from '../lib/clock.ts';

export interface Program {
  readonly version: string;
  /** For example `migrate keycloak`. */
  readonly verb: string;
  /** The command as typed, without tokens. */
  readonly command: string;
}

const stoppedFormat = 'idport-stopped-report';

interface RecordedLine extends Program {
  readonly flags: Readonly<Record<string, unknown>>;
  /** Path of the report as given, which is the same for all shards. */
  readonly report: string | undefined;
}

/** Runs a command and records it for its report and the summary of the step. */
export async function withRecord(
  run: (context: ProcessContext) => Promise<ExitCode>,
  { version, verb, command, flags, report: reportOfAll }: RecordedLine,
  context: ProcessContext,
) {
  const { cwd, clock } = context;
  const report = reportOfAll && ownFile(reportOfAll, flags, context);
  const record = createRunMetrics({ version, command, cwd, clock });
  const head = { verb, startedAt: clock.now() };
  const seconds = stopwatch(clock);
  let isWritten = false;
  let warning: string | undefined;
  const emit: Emit = (event) => {
    if (event.type === 'file:written' && event.what === 'report') isWritten = true;
    if (event.type === 'notice' && event.level === 'warning') warning = event.text;
    record.see(event);
    context.emit(event);
  };
  const recorded = { ...context, emit, record };
  const writeEnd = async (end: RunEnd) => {
    if (report === undefined || isWritten || !mayReplace(report, flags, context)) return;
    keepWhole(report, context);
    const written = openReport(report, stoppedReport, { ...recorded, outputs: createOutputs({ cwd }) });
    await written?.begin(head);
    await written?.end({ ...end, dryRun: flags['dryRun'] === true, seconds: seconds() });
  };
  const tellFacts = async () => {
    if (context.env['GITHUB_STEP_SUMMARY'] === undefined) return;
    context.emit({ type: 'run:facts', facts: listFacts(await record.facts()) });
  };
  try {
    const exitCode = await run(recorded);
    const nothing =
      flags['dryRun'] === true ? 'Nothing was sent: it was a dry run.' : 'The run had nothing to report.';
    await writeEnd({ stopped: exitCode === ExitCode.done ? nothing : (warning ?? nothing), exitCode });
    await tellFacts();
    return exitCode;
  } catch (error) {
    const { message: stopped, hint, exitCode, code } = toProblem(error);
    // A user who stops a run knows why. The error of the run matters more than an error of its report.
    if (exitCode !== ExitCode.interrupted && !isOfOtherRun({ code }))
      await writeEnd({ stopped, hint, exitCode }).catch(() => {});
    await tellFacts().catch(() => {});
    throw error;
  }
}

/**
 * Reports whether a file may be replaced. Only an older report that is not an input may, because the run may have ended
 * before it compared the path with its inputs.
 */
function mayReplace(report: string, options: object, { cwd }: ProcessContext) {
  const path = resolve(cwd, report);
  const others = Object.entries(options).flatMap(([name, value]) =>
    name === 'report' ? [] : [value].flat(),
  );
  if (others.some((value) => typeof value === 'string' && resolve(cwd, value) === path)) return false;
  return !existsSync(path) || reportBeginning.test(beginningOf(path));
}

/**
 * Keeps the previous report if its run came to its end, since it is worth more than that of a stopped run. The report of
 * a page is next to the page.
 */
function keepWhole(report: string, { cwd, emit }: ProcessContext) {
  const path = resolve(cwd, report);
  const files = extname(path).toLowerCase() === '.html' ? [`${path}.json`, path] : [path];
  const beginning = beginningOf(files[0]!);
  if (beginning === '' || isShort.test(beginning)) return;
  for (const file of files) {
    if (statIfThere(file) === undefined) continue;
    emit(note('report:kept', `The report of the previous run is kept as ${keepPrevious(file)}.`));
  }
}

const beginningOf = (path: string) => readPart(path, 2048);
const isShort = new RegExp(`^\\{"format":"${stoppedFormat}"|^\\*\\*${shortReport}`, 'm');

interface StoppedReportHead extends Pick<Program, 'verb'> {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

interface RunEnd {
  readonly stopped: string;
  readonly hint?: string | undefined;
  readonly exitCode: number;
}

export const stoppedReport: ReportContents<
  StoppedReportHead,
  never,
  never,
  RunEnd & { seconds: number; dryRun: boolean }
> = {
  format: stoppedFormat,
  item: (user) => user,
  tail: (tail) => tail,
  title: ({ verb }) => `idport ${verb}`,
  notes: ({ hint = '', exitCode }) => [
    `Exit code ${exitCode}.`,
    '',
    ...(hint === '' ? [] : [markdownText(hint), '']),
  ],
  sections: () => [],
  user: (user) => user,
};
