/** Chooses the id of a user: that of the source if it fits, else a made one that is the same in each resumed run. */
import { hash } from 'node:crypto';
import { IdColumn } from '../../compact/columns.ts';

export interface IdRule {
  readonly keep: boolean;
  /** Prefix that makes the plain numbers of a table unique outside of it. */
  readonly prefix: string;
}

/**
 * Ids that are not kept: also those of more than 200 characters, of which an emoji is one to the service. Numbers of 15 digits or
 * more are long enough to be unique, like the service's own.
 */
const unfit = /^\s|[\p{Cc}\p{Cs}/]|\s$|^\.{1,2}$|^\d{1,14}$|^[^]{201}/u;

/** Returns the id of the source as it is sent, or undefined if it does not fit. */
export function keptId({ keep, prefix }: IdRule, id: string) {
  // An id that begins with the prefix gets it again: otherwise the number 17 would become the id of another user, wp-17.
  const kept = id.startsWith(prefix) || unfit.test(id) ? `${prefix}${id}` : id;
  return keep && id !== '' && !unfit.test(kept) ? kept : undefined;
}

export type UserIds = ReturnType<typeof createUserIds>;

/**
 * Holds the ids of the users by user number. Only ids that differ from the rule take memory. Without a rule, the service chooses
 * the ids. `key` is the key of the run, so that made ids stay the same when the run is resumed.
 */
export function createUserIds(rule: IdRule | undefined, key: string, isCreated: (user: number) => boolean) {
  const others = new IdColumn();
  /** Returns the id that the user is sent with. Empty if the service chooses it. */
  const choose = (user: number, oldId: string) =>
    others.get(user) ?? (rule === undefined ? '' : (keptId(rule, oldId) ?? makeId(key, String(user))));
  return {
    choose,
    /** Returns undefined if this run has not created the user. */
    created: (user: number, oldId: string) => (isCreated(user) ? choose(user, oldId) : undefined),
    /** Sets the id that the user was sent with or that the service chose. */
    set(user: number, id: string, oldId: string) {
      if (choose(user, oldId) !== id) others.set(user, id);
    },
  };
}

/** Returns 96 bits as hexadecimal digits. */
export function makeId(key: string, name: string) {
  return hash('sha256', `id\n${key}\n${name}`, 'hex').slice(0, 24);
}
