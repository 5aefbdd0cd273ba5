/** The state that a server starts with: from its data folder, or the standard accounts; and how to go back to it. */
import { bootstrap } from './bootstrap.ts';
import type { Bootstrapped, ReferenceServerOptions } from './options.ts';
import type { ServerState } from './context.ts';
import type { Change, Row, Table } from './store/table.ts';
import { openDisk, type Disk } from './store/disk.ts';
import type { Store } from './store/store.ts';

/** The standard accounts and their tokens, kept with the rest so that a client's settings outlive a restart. */
interface StandardRow extends Bootstrapped {
  readonly id: 'standard';
  /** All rows as they were at the very beginning. */
  readonly beginning: readonly Change[];
}

export interface OpenedState {
  readonly disk: Disk | undefined;
  readonly known: Bootstrapped;
  /** Goes back to the standard accounts with the same tokens; a listener of the store gets every change. */
  readonly restore: () => void;
}

export function openState(state: ServerState, options: ReferenceServerOptions): OpenedState {
  const { store } = state;
  const table = store.table<StandardRow>('standard');
  const onFailure = options.onFailure ?? ((error) => state.settings.log(error.message));
  const disk =
    options.data === undefined
      ? undefined
      : openDisk(options.data, store, {
          onFailure,
          clock: options.clock,
          steal: options.stealLock,
          onTakenOver: state.settings.log,
        });
  let standard = table.get('standard');
  if (standard === undefined) {
    const made = bootstrap(state, options);
    standard = table.put({ id: 'standard', ...made, beginning: [...store.dump()] });
    for (const change of store.dump()) disk?.write(change);
  }
  const { id, beginning, ...known } = standard;
  return {
    disk,
    known,
    restore: () => restore(store, [...beginning, { table: 'standard', id, row: standard }]),
  };
}

function restore(store: Store, rows: readonly Change[]): void {
  const keep = new Set(rows.map(({ table, id }) => `${table} ${id}`));
  const tableOf = (name: string): Pick<Table<Row>, 'put' | 'delete'> =>
    name === 'users' ? store.users : store.table(name);
  const others = [...store.dump()].filter(({ table, id }) => !keep.has(`${table} ${id}`));
  for (const { table, id } of others) tableOf(table).delete(id);
  for (const { table, row } of rows) tableOf(table).put(row as Row);
}
