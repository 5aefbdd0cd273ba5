/** The report of a rollback; does nothing where none is asked for. */
import type { Client } from '../api/client.ts';
import type { PlannedUser } from '../flows/undo/undo.ts';
import { openReport } from '../flows/report/open-report.ts';
import { undoReport, type UndoReportTail } from '../flows/report/undo-report.ts';
import { createOutputOpener } from '../storage/open-output.ts';
import type { KeptUser } from '../wire/undo-report.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import type { CommandContext } from './context.ts';
import type { UndoRun } from './undo-chain.ts';

export interface UndoReport {
  readonly add: (
    user: Pick<PlannedUser, 'created' | 'found'>,
    outcome: KeptUser['outcome'],
    detail: string,
  ) => Promise<void>;
  end(tail: UndoReportTail): Promise<void>;
  discard(): void;
}

const none: UndoReport = { add: async () => {}, end: async () => {}, discard: () => {} };

export async function openUndoReport(
  flags: ConnectionFlags & { readonly report?: string },
  { client, runs }: { readonly client: Client; readonly runs: readonly [UndoRun, ...UndoRun[]] },
  context: CommandContext,
): Promise<UndoReport> {
  const { emit, clock, record } = context;
  if (flags.report === undefined) return none;
  const [{ name }] = runs;
  if (record !== undefined) {
    const organizations = [...new Set(runs.flatMap(({ journal }) => journal.header.orgs))];
    Object.assign(record, { organizations, journal: name, inputs: runs.map((run) => run.name) });
  }
  const journals = runs.map(({ path }) => ({ what: 'the journal', path }));
  const inUse = [...(context.inUse ?? []), ...journals];
  const open = createOutputOpener({ ...context, inUse });
  const { format, sink, facts } = openReport(flags.report, undoReport, { ...context, open });
  await sink.write(format.head({ journal: name, url: client.url, startedAt: clock.now() }));
  return {
    async add({ created, found }, outcome, detail) {
      const { id: targetId = '', org: orgId = '', userName = created.userName, email = '' } = found ?? {};
      await sink.write(format.item({ outcome, id: created.oldId, targetId, orgId, userName, email, detail }));
    },
    async end(tail) {
      await sink.write(format.tail(tail, await facts?.()));
      await sink.commit();
      emit({ type: 'file:written', path: sink.name, what: 'report', bytes: sink.bytes });
    },
    discard: () => sink.discard(),
  };
}
