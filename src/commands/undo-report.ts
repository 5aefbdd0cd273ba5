/** Opens the report of a rollback. */
import type { Client } from '../api/client.ts';
import { openReport } from '../flows/report/open-report.ts';
import { undoReport, type UndoReport } from '../flows/report/undo-report.ts';
import { createOutputOpener } from '../storage/open-output.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import type { CommandContext } from './context.ts';
import type { UndoRun } from './undo-chain.ts';

/** Begun; undefined where none is asked for. */
export async function openUndoReport(
  flags: ConnectionFlags & { readonly report?: string },
  { client, runs }: { readonly client: Client; readonly runs: readonly [UndoRun, ...UndoRun[]] },
  context: CommandContext,
): Promise<UndoReport | undefined> {
  const { clock, record } = context;
  const [{ name }] = runs;
  if (record !== undefined) {
    const organizations = [...new Set(runs.flatMap(({ journal }) => journal.header.orgs))];
    Object.assign(record, { organizations, journal: name, inputs: runs.map((run) => run.name) });
  }
  const journals = runs.map(({ path }) => ({ what: 'the journal', path }));
  const open = createOutputOpener({ ...context, inUse: [...(context.inUse ?? []), ...journals] });
  const report = openReport(flags.report, undoReport, { ...context, open });
  await report?.begin({ journal: name, url: client.url, startedAt: clock.now() });
  return report;
}
