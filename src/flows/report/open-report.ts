/** Opens the file of a report. JSON and Markdown are written during the run, a page at its end. */
import { extname } from 'node:path';
import { type Emit, commit } from '../../events.ts';
import type { Sink } from '../../lib/sink.ts';
import { openInput } from '../../storage/open-input.ts';
import type { Outputs } from '../../storage/file-sink.ts';
import {
  createReport,
  type ReportContents,
  type ReportHead,
  type ReportTail,
  type ReportWriter,
} from './report.ts';
import type { RunMetrics } from './run-metrics.ts';

/** Report of a run while it is written. */
export type RunReport<Head, Item, Tail> = ReturnType<typeof writeReport<Head, Item, Tail>>;

interface ReportPlace {
  readonly outputs: Pick<Outputs, 'open'>;
  readonly cwd: string;
  readonly emit: Emit;
  readonly record?: RunMetrics;
}

/** Returns undefined if no report is requested. Throws `UsageError` for an unsupported file name, before anything is opened. */
export function openReport<Head extends ReportHead, Item, Json, Tail extends ReportTail>(
  path: string | undefined,
  contents: ReportContents<Head, Item, Json, Tail>,
  place: ReportPlace,
): RunReport<Head, Item, Tail> | undefined {
  if (path === undefined) return undefined;
  const format = createReport(path, contents);
  const sink = extname(path).toLowerCase() === '.html' ? openPage(path, place) : place.outputs.open(path);
  return writeReport(format, sink, place);
}

export function writeReport<Head, Item, Tail>(
  format: ReportWriter<Head, Item, Tail>,
  sink: Omit<Sink, 'discard'>,
  { emit, record }: Pick<ReportPlace, 'emit' | 'record'>,
) {
  return {
    name: sink.name,
    async begin(head: Head) {
      await sink.write(format.head(head));
      // Reserve space, so that a full disk is noticed before the run has changed anything.
      sink.reserve?.(roomForEnd);
    },
    add: async (item: Item) => sink.write(format.item(item)),
    /** Completes the file and reports it. */
    async end(tail: Tail) {
      await sink.write(format.tail(tail, await record?.facts()));
      await commit(sink, 'report', emit);
    },
  };
}

/** Bytes: about as much as a report has besides its users. */
const roomForEnd = 16 * 1024;

/** Also writes the report of a page as JSON, which has all users and can be joined with others. */
function openPage(path: string, { outputs, cwd, emit }: ReportPlace): Omit<Sink, 'discard'> {
  const report = outputs.open(`${path}.json`);
  const page = outputs.open(path);
  return {
    name: page.name,
    get bytes() {
      return page.bytes;
    },
    write: (chunk) => report.write(chunk),
    reserve(bytes) {
      report.reserve?.(bytes);
      page.reserve?.(bytes);
    },
    async commit() {
      await commit(report, 'report', emit);
      const { writePage } = await import('../page/write-page.ts');
      await writePage([openInput(report.name, { cwd })], page);
      await page.commit();
    },
  };
}
