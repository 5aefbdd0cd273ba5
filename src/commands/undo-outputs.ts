/** The outputs of a rollback: the list of users that it would delete, and the report of users that stay. */
import type { Client } from '../api/client.ts';
import { note } from '../events.ts';
import { openReport } from '../flows/report/open-report.ts';
import { undoReport, type UndoReport } from '../flows/report/undo-report.ts';
import type { UndoRun } from '../flows/undo/may-delete.ts';
import { printable } from '../lib/printable.ts';
import { formatCounted } from '../lib/quantity.ts';
import type { Sink } from '../lib/sink.ts';
import { linePrinter } from '../storage/stream-sink.ts';
import type { CommandContext } from './context.ts';

/** Lines that fit on a terminal without scrolling. */
const shown = 20;

/**
 * Prints the first users, and writes a long list to a file. With a confirmed count (`goesOn`), the run continues even if the
 * reader of standard output closes it.
 */
export function createUndoList(
  { path, goesOn }: { readonly path: string; readonly goesOn: boolean },
  context: CommandContext,
) {
  const { stdout, emit, outputs } = context;
  const first: string[] = [];
  let count = 0;
  let file: Sink | undefined;
  const show = linePrinter(stdout, goesOn);
  return {
    async add(user: string): Promise<void> {
      const line = printable(user);
      count += 1;
      if (count <= shown) {
        first.push(line);
        await show(line);
        return;
      }
      if (file === undefined) {
        file = outputs.open(path);
        await file.write(`${first.join('\n')}\n`);
      }
      await file.write(`${line}\n`);
    },
    /** Completes the file of a long list, and says where it is. */
    async finish(): Promise<void> {
      if (file === undefined) return;
      await file.commit();
      emit({ type: 'file:written', path: file.name, what: 'list', bytes: file.bytes });
      const text = `${formatCounted(count - shown, 'more user')}; the whole list is in ${file.name}`;
      emit(note('undo:list', text));
    },
  };
}

/** Opens and begins the report; undefined without --report. */
export async function openUndoReport(
  flags: { readonly report?: string },
  { client, runs }: { readonly client: Client; readonly runs: readonly [UndoRun, ...UndoRun[]] },
  context: CommandContext,
): Promise<UndoReport | undefined> {
  const { clock, addFacts, outputs } = context;
  const [{ name }] = runs;
  const organizations = [...new Set(runs.flatMap(({ journal }) => journal.header.orgs))];
  addFacts({ organizations, journal: name, inputs: runs.map((run) => run.name) });
  for (const { path } of runs) outputs.keep({ what: 'the journal', path });
  const report = openReport(flags.report, undoReport, context);
  await report?.begin({ journal: name, url: client.url, startedAt: clock.now() });
  return report;
}
