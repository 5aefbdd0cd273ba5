/** The people of a run in, a table of old id, new id and state out, for the tables of other applications. */
import type { Sink } from '../../lib/sink.ts';
import { State } from '../../journal/states.ts';
import { encodeIdMapRow, idMapHeader, type IdMapState } from '../report/id-map.ts';
import { guessId, type PlannedEntry } from './entries.ts';
import { findPeople } from '../reconcile/find-users.ts';
import type { ImportRun } from './run.ts';
import { isEntry } from './send-all.ts';

export interface IdMapWriter {
  write(planned: PlannedEntry): Promise<void>;
  /** The sink is committed. */
  end(): Promise<void>;
}

interface Row {
  readonly orgId: string;
  /** Empty where the body gives none: then the service chose one. */
  readonly id: string;
  readonly userName: string;
  readonly state: IdMapState;
}

/** So many people at once are looked up whose ids the service chose. */
const atOnce = 500;

/** Who had no id stands with the user name. */
export async function createIdMap(run: ImportRun, sink: Sink): Promise<IdMapWriter> {
  let rows: Row[] = [];
  await sink.write(`${idMapHeader}\n`);

  const flush = async (): Promise<void> => {
    const chosen = await findChosen(run, rows);
    for (const row of rows) {
      const newId = row.state === 'failed' ? '' : row.id || (chosen.get(row) ?? '');
      await sink.write(encodeIdMapRow({ oldId: row.id || row.userName, newId, state: row.state }));
    }
    rows = [];
  };

  return {
    async write(planned) {
      const entry = planned.read();
      const { id = guessId(planned.text), userName = '' } = (isEntry(entry) ? entry.person : undefined) ?? {};
      rows.push({ orgId: planned.orgId, id, userName, state: stateOf(run, planned.number) });
      if (rows.length >= atOnce) await flush();
    },
    async end() {
      await flush();
      await sink.commit();
    },
  };
}

async function findChosen(run: ImportRun, rows: readonly Row[]): Promise<Map<Row, string>> {
  const chosen = new Map<Row, string>();
  const nameless = rows.filter(({ id, state }) => id === '' && state !== 'failed');
  for (const orgId of new Set(nameless.map((row) => row.orgId))) {
    const members = nameless.filter((row) => row.orgId === orgId);
    const found = await findPeople(
      run.client,
      orgId,
      members.map(({ userName }) => ({ id: '', userName })),
    );
    for (const [place, row] of members.entries()) chosen.set(row, found.get(place)?.id ?? '');
  }
  return chosen;
}

function stateOf(run: ImportRun, number: number): Row['state'] {
  const state = run.journal.states.get(number);
  if (state === State.created) return 'created';
  return state === State.existed || state === State.unchanged ? 'existed' : 'failed';
}
