/** Which id a user gets: that of the source where it fits, else one that is made here, the same in each resumed run. */
import { hash } from 'node:crypto';
import { IdColumn } from '../../compact/columns.ts';
import { State, type States } from '../../journal/load.ts';

export interface IdRule {
  readonly keep: boolean;
  /** Makes the plain numbers of a table unique beyond it. */
  readonly prefix: string;
}

/** What no id may be. A number is long enough to be unique from 15 digits on, as the service makes its own. */
const unfit = /^\s|[\p{Cc}\p{Cs}/]|\s$|^\.{1,2}$|^\d{1,14}$/u;
/** Characters: the service counts an emoji as one. */
const longestId = 200;

/** The id of the source as the service would take it; undefined where it does not fit. */
export function keptId({ keep, prefix }: IdRule, id: string): string | undefined {
  const kept = `${prefix}${id}`;
  return keep && id !== '' && !isLong(kept) && !unfit.test(kept) ? kept : undefined;
}

const isLong = (id: string) => id.length > longestId && Array.from(id).length > longestId;

export type UserIds = ReturnType<typeof createUserIds>;

/**
 * Of the users, by their numbers. Nothing is kept in memory but the ids that differ from the rule; without one the service
 * chooses them. `key` is that of the run: a made id is the same when the run is resumed.
 */
export function createUserIds(rule: IdRule | undefined, key: string, states: States) {
  const others = new IdColumn();
  /** The id that the user is sent with; empty where the service chooses it. */
  const choose = (user: number, oldId: string) =>
    others.get(user) ?? (rule === undefined ? '' : (keptId(rule, oldId) ?? makeId(key, String(user))));
  return {
    choose,
    /** Undefined where this run has not created the user. */
    created: (user: number, oldId: string) =>
      states.get(user) === State.created ? choose(user, oldId) : undefined,
    /** That which the user has been sent with, or which the service gave. */
    set(user: number, id: string, oldId: string) {
      if (choose(user, oldId) !== id) others.set(user, id);
    },
  };
}

/** 96 bits in hexadecimal digits. */
export function makeId(key: string, name: string): string {
  return hash('sha256', `id\n${key}\n${name}`, 'hex').slice(0, 24);
}
