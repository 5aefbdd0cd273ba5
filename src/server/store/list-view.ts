/** The store as lists see it: as it was some time ago, because the service's lists lag behind writes and lose some. */
import type { Clock } from '../../lib/clock.ts';
import type { UserRow } from './rows.ts';
import { createStore, type Store, findById } from './store.ts';
import type { Change } from './table.ts';

/** For `upTo`: the lists of metadata and links, whose events do not touch the list of users. */
export const relatedLists = 'metadata and links';

export type ListView = ReturnType<typeof createListView>;

/** `lag` in milliseconds; 0 for lists that are always up to date. */
export function createListView(store: Store, clock: Clock, lag: number) {
  let start = clock.now();
  const lastChange = new Map<string, number>();
  const lost = new Set<string>();
  let toLose = 0;
  /** Absent where lists are always up to date and complete. */
  let shown = lag === 0 ? undefined : createStore(clock);
  let waiting: { readonly at: number; readonly change: Change }[] = [];

  const apply = (change: Change, at: number) => {
    const { table, id, row } = change;
    const isUser = table === 'users';
    if (isUser) lastChange.set(relatedLists, at);
    const { changed, created = at } = (isUser && row !== undefined ? row : {}) as Partial<UserRow>;
    lastChange.set(table, Math.max(changed ?? created, lastChange.get(table) ?? start));
    if (!isUser || !lost.has(id)) shown?.apply(change);
  };
  const read = (): Store => {
    const until = clock.now() - lag;
    const first = waiting.findIndex(({ at }) => at > until);
    const due = first === -1 ? waiting.splice(0) : waiting.splice(0, first);
    for (const { at, change } of due) apply(change, at);
    return shown ?? store;
  };
  const copy = () => {
    for (const change of store.dump()) shown?.apply(change);
  };
  return {
    /** The store that a list reads now. Look-ups by id read the real one. */
    read,
    /** A look-up by id, which does not lag; for a user whom the lists have lost it reads the list. */
    user: (id: string) => findById(lost.has(id) ? read() : store, id),
    /** Time of the last change of a table that `read` shows, in milliseconds since 1970. */
    upTo(table: string): number {
      read();
      return lastChange.get(table) ?? start;
    },
    /** Gets every change of the store. */
    onChange(change: Change): void {
      const { table, id, row } = change;
      // Only creations and deletions are lost, not other events of a user whom lists know.
      const isKnown = () => read().users.has(id) || waiting.some((each) => each.change.id === id);
      if (toLose > 0 && table === 'users' && !lost.has(id) && (row === undefined || !isKnown())) {
        toLose -= 1;
        lost.add(id);
      }
      if (lag === 0) return apply(change, clock.now());
      waiting.push({ at: clock.now(), change });
      // Due changes are applied even if no call reads a list.
      if (waiting.length % 1000 === 0) read();
    },
    /** Shows the store as it is now: after a start, a seed or a reset. */
    catchUp(): void {
      start = clock.now();
      lastChange.clear();
      lost.clear();
      toLose = 0;
      waiting = [];
      shown?.clear();
      copy();
    },
    /** Loses the events of the next `users` that are created or deleted: no list ever shows these, or later changes of them. */
    lose(users: number): void {
      toLose = users;
      if (shown !== undefined) return;
      shown = createStore(clock);
      copy();
    },
  };
}
