/** The id map of a bulk import, written at its end from the body and the journal. */
import { State } from '../../journal/load.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { findAll } from '../reconcile/look-up.ts';
import { encodeIdMapRow, idMapHeader, keepIdMap, type IdMapRow, type IdMapState } from '../report/id-map.ts';
import { commit } from '../report/run-outputs.ts';
import { isEntry, planEntries } from './entries.ts';
import type { ImportRequest } from './request.ts';
import type { ImportRun } from './run.ts';

interface IdMapEntry extends IdMapRow {
  readonly orgId: string;
  /** Of a user whose id the service chose: it is looked up. */
  readonly sought: string | undefined;
}

/** Users are looked up so many at a time. */
const atOnce = 500;

/** A resumed run writes all of it. A user without an id in the body is named by the user name. */
export async function writeIdMap(run: ImportRun, idMap: ImportRequest['idMap']): Promise<void> {
  if (idMap === undefined) return;
  const { sink, path } = idMap;
  // Not earlier: a run that stops must not replace the map of the previous run.
  keepIdMap(path, run.emit);
  await sink.write(`${idMapHeader}\n`);
  let rows: IdMapEntry[] = [];
  const flush = async (): Promise<void> => {
    const sought = rows.filter((row) => row.sought !== undefined);
    const keys = sought.map(({ orgId, sought }) => ({ id: '', userName: sought!, orgs: [orgId] }));
    const found = await findAll({ ...run, reads: 'all' }, keys);
    const chosen = new Map(sought.map((row, at) => [row, found[at]?.id ?? '']));
    for (const row of rows) await sink.write(encodeIdMapRow({ ...row, newId: chosen.get(row) ?? row.newId }));
    rows = [];
  };
  for await (const planned of planEntries(run.source, userLists)) {
    run.signal.throwIfAborted();
    const { number, orgId, text } = planned;
    const read = planned.read();
    const entry = isEntry(read) ? read : undefined;
    const { id = guessId(text), userName = '' } = entry?.user ?? {};
    const state = stateOf(run.journal.states.get(number));
    const sought = id === '' && state !== 'failed' ? userName : undefined;
    const newId = state === 'failed' ? '' : id;
    rows.push({ orgId, oldId: (entry?.oldId ?? id) || userName, newId, state, sought });
    if (rows.length >= atOnce) await flush();
  }
  await flush();
  await commit(sink, 'id map', run.emit);
}

function stateOf(state: State): IdMapState {
  if (state === State.created) return 'created';
  return state === State.existed || state === State.unchanged ? 'existed' : 'failed';
}
