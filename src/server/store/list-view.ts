/** What lists show: the store as it was some time ago, because the lists of the service lag behind its writes. */
import type { Clock } from '../../lib/clock.ts';
import { createStore, type Store } from './store.ts';
import type { Change } from './table.ts';

export interface ListView {
  /** The store that a list reads now. Look-ups by id read the real one. */
  readonly read: () => Store;
  /** Time of the last change of a table that `read` shows, in milliseconds since 1970. */
  readonly upTo: (table: string) => number;
  /** Gets every change of the store. */
  readonly onChange: (change: Change) => void;
  /** Shows the store as it is now: after a start, a seed or a reset. */
  readonly catchUp: () => void;
}

/** `lag` in milliseconds; 0 for lists that are always up to date. */
export function createListView(store: Store, clock: Clock, lag: number): ListView {
  let start = clock.now();
  const lastChange = new Map<string, number>();
  const upTo = (table: string): number => lastChange.get(table) ?? start;
  const restart = (): void => {
    start = clock.now();
    lastChange.clear();
  };
  if (lag === 0) {
    return {
      read: () => store,
      upTo,
      onChange: ({ table }) => void lastChange.set(table, clock.now()),
      catchUp: restart,
    };
  }

  const shown = createStore(clock);
  let waiting: { readonly at: number; readonly change: Change }[] = [];
  const show = (): void => {
    const until = clock.now() - lag;
    const first = waiting.findIndex(({ at }) => at > until);
    for (const { at, change } of first === -1 ? waiting.splice(0) : waiting.splice(0, first)) {
      shown.apply(change);
      lastChange.set(change.table, at);
    }
  };
  return {
    read() {
      show();
      return shown;
    },
    upTo(table) {
      show();
      return upTo(table);
    },
    onChange: (change) => void waiting.push({ at: clock.now(), change }),
    catchUp() {
      restart();
      waiting = [];
      shown.clear();
      for (const change of store.dump()) shown.apply(change);
    },
  };
}
