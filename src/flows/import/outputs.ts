/** A run that is over in; its report, its rejects and its id map out, from the input and the journal once more. */
import type { Sink } from '../../lib/sink.ts';
import { State } from '../../journal/states.ts';
import { userLists } from '../../wire/org-entries.ts';
import { guessId, planEntries, type PlannedEntry } from './entries.ts';
import { createIdMap } from './id-map.ts';
import type { ImportEnd } from './import.ts';
import { createRejects } from './rejects.ts';
import type { ImportReportFormat, ReportedEntry } from '../report/import-report.ts';
import { isEntry } from './send-all.ts';
import type { ImportRun } from './run.ts';

export interface ImportOutputs {
  readonly report?: { readonly sink: Sink; readonly format: ImportReportFormat } | undefined;
  /** A body with what failed or was rejected. */
  readonly rejects?: Sink | undefined;
  readonly idMap?: Sink | undefined;
}

/** A resumed run writes all of it, also what earlier runs did. */
export async function writeOutputs(
  { run, source, tally, seconds }: ImportEnd,
  outputs: ImportOutputs,
): Promise<void> {
  const { report, rejects, idMap } = outputs;
  if (report === undefined && rejects === undefined && idMap === undefined) return;
  const mend = rejects === undefined ? undefined : await createRejects(rejects, run.body);
  const map = idMap === undefined ? undefined : await createIdMap(run, idMap);
  const startedAt = run.clock.now() - seconds * 1000;
  await report?.sink.write(report.format.head({ input: run.input, url: run.client.url, startedAt }));
  for await (const planned of planEntries(source)) {
    run.signal.throwIfAborted();
    const reported = report === undefined ? undefined : describe(run, planned);
    if (reported !== undefined) await report?.sink.write(report.format.entry(reported));
    const trouble = run.troubles.get(planned.number);
    if (trouble !== undefined && trouble.outcome !== 'noted') await mend?.write(planned, trouble);
    if (userLists.includes(planned.list)) await map?.write(planned);
  }
  await report?.sink.write(report.format.tail(tally, seconds));
  await report?.sink.commit();
  await mend?.end();
  await map?.end();
}

/** Undefined for an entry that needs no attention. */
function describe(run: ImportRun, planned: PlannedEntry): ReportedEntry | undefined {
  const { number, list, index, orgId } = planned;
  const trouble = run.troubles.get(number);
  const existed = userLists.includes(list) && run.journal.states.get(number) === State.existed;
  if (trouble === undefined && !existed) return undefined;
  const entry = planned.read();
  const id = isEntry(entry) ? entry.id || (entry.person?.userName ?? '') : guessId(planned.text);
  if (trouble === undefined) return { list, index, orgId, id, outcome: 'existed' };
  const { outcome, code, detail } = trouble;
  return { list, index, orgId, id, outcome, reason: { code, detail } };
}
