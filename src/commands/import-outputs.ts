/** The files that `import` and `copy` write: report, rejects, id map, mail list. */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import type { ImportOutputs } from '../flows/import/outputs.ts';
import { createMailList, type MailList } from '../flows/messages/mail-list.ts';
import { importReport } from '../flows/report/import-report.ts';
import { openReport } from '../flows/report/open-report.ts';
import type { Input } from '../lib/input.ts';
import type { Sink } from '../lib/sink.ts';
import { createOutputOpener, type NamedFile } from '../storage/open-output.ts';
import type { MigrateValues, ReportFlags } from '../flags/conversion.ts';
import type { CommandContext } from './context.ts';

/** The mail list is written before the import, the others after it. */
export interface OpenedOutputs extends ImportOutputs {
  readonly mailList: MailList;
}

/** Throws `UsageError` where one would replace another or a file that the run needs; then none is begun. */
export function openOutputs(
  flags: ReportFlags & Pick<MigrateValues, 'mailList'> & { readonly idMap: string | undefined },
  context: CommandContext,
  inputs: readonly Input[],
  inUse: readonly NamedFile[],
): OpenedOutputs {
  const { record } = context;
  if (record !== undefined) record.inputs = inputs.map(({ name }) => name);
  const openNamed = createOutputOpener({ ...context, inputs, inUse });
  const opened: Sink[] = [];
  const openOne = (path: string): Sink => {
    const sink = openNamed(path);
    opened.push(sink);
    return sink;
  };
  const open = (path: string | undefined) => (path === undefined ? undefined : openOne(path));
  try {
    return {
      report: openReport(flags.report, importReport, { ...context, open: openOne }),
      rejects: open(flags.rejects),
      idMap: open(flags.idMap),
      mailList: createMailList(open(flags.mailList)),
    };
  } catch (error) {
    for (const sink of opened) sink.discard();
    throw error;
  }
}

/** Leaves outputs that are complete. */
export function discard({ report, rejects, idMap, mailList }: OpenedOutputs): void {
  for (const file of [report, rejects, idMap, mailList]) file?.discard();
}

export function reportFiles(
  { rejects, idMap }: ImportOutputs,
  journal: string,
  { emit, cwd }: CommandContext,
): void {
  const files = [
    ['rejects', rejects],
    ['id map', idMap],
  ] as const;
  for (const [what, sink] of files) {
    if (sink !== undefined) emit({ type: 'file:written', path: sink.name, what, bytes: sink.bytes });
  }
  const near = relative(cwd, journal);
  const shown = near.startsWith('..') ? journal : near;
  emit({ type: 'file:written', path: shown, what: 'journal', bytes: statSync(journal).size });
}
