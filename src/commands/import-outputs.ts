/** The files that `import` and `copy` write: report, rejects, id map, mail list. */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import type { ImportOutputs } from '../flows/import/outputs.ts';
import { createMailList, type MailList } from '../flows/messages/gate.ts';
import { importReport } from '../flows/report/import-report.ts';
import { openReport } from '../flows/report/open-report.ts';
import type { MigrateValues, ReportFlags } from '../flags/conversion.ts';
import type { CommandContext } from './context.ts';

/** The mail list is written before the import, the others after it. */
export interface OpenedOutputs extends ImportOutputs {
  readonly mailList: MailList;
}

/** Throws `UsageError` for a file that would replace another output or a file that the run needs. */
export function openOutputs(
  flags: ReportFlags & Pick<MigrateValues, 'mailList'> & { readonly idMap: string | undefined },
  context: CommandContext,
): OpenedOutputs {
  const open = (path: string | undefined) => (path === undefined ? undefined : context.outputs.open(path));
  return {
    report: openReport(flags.report, importReport, context),
    rejects: open(flags.rejects),
    idMap: open(flags.idMap),
    mailList: createMailList(open(flags.mailList)),
  };
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
