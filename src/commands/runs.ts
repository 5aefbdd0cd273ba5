/** `idport runs`: lists the runs whose journals are in a folder. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { note } from '../events.ts';
import { ExitCode, UsageError } from '../errors.ts';
import { listRuns, type Run } from '../flows/runs/list-runs.ts';
import { formatCount } from '../lib/format.ts';
import { isFolder, listFolder } from '../storage/folder.ts';
import { inputProblem } from '../storage/file-problem.ts';
import { printAs } from '../storage/stream-sink.ts';
import { alignColumns } from '../terminal/text.ts';
import type { RunsFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

export const runs: Action<RunsFlags> = async ({ folder, format }, { cwd, stdout, emit }) => {
  const path = resolve(cwd, folder);
  if (!isFolder(path)) throw new UsageError(`${folder} is not a folder`, 'Name the folder of a run.');
  const entries = listFolder(path);
  let count = 0;
  for await (const run of listRuns(path, folder)) {
    await printAs(format, stdout, run, () => [...(count > 0 ? [''] : []), ...show(run)]);
    count += 1;
  }
  // A journal of another user must not look like none.
  for (const { name, path, kind } of entries) {
    if (!name.includes('journal') || (kind !== 'file' && kind !== 'lost')) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      throw inputProblem(path, error, path);
    }
  }
  if (count === 0) {
    const text = `no journals in ${folder}: an import writes its journal next to its input, or where --journal says`;
    emit(note('runs:none', text));
  }
  return ExitCode.done;
};

function show(run: Run): string[] {
  const {
    journal,
    verb,
    source = '',
    url = '',
    orgs = [],
    startedAt = 0,
    state,
    progress,
    next,
    variable,
  } = run;
  const { created, changed, existed, failed } = run.users;
  const to = orgs.length === 0 ? url : `${url}, organization ${orgs.join(', ')}`;
  const counts = `${formatCount(created)} created, ${changed > 0 ? `${formatCount(changed)} changed, ` : ''}${formatCount(existed)} existed, ${formatCount(failed)} failed`;
  const rows = [
    ...(verb === undefined
      ? []
      : [
          ['run', `${verb}, begun ${new Date(startedAt).toISOString()}`],
          ['source', source],
          ['target', to],
        ]),
    ['state', `${state}: ${progress}`],
    ...(state === 'unreadable' ? [] : [['users', counts]]),
    ...(variable === undefined ? [] : [['first set', `${variable}, as for this run: it names the source`]]),
    ...next.map(({ what, command }) => [what, command]),
  ];
  return [journal, ...alignColumns(rows, '  ')];
}
