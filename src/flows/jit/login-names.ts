/** Ids of login names, so that logins of users who have migrated need no look-up. Old ones are forgotten. */
import type { Clock } from '../../lib/clock.ts';
import { putRecent } from './guess-limits.ts';

export interface LoginNames {
  /** Undefined where it is not known, or not for sure any more. */
  idOf(loginName: string): string | undefined;
  remember(loginName: string, id: string): void;
}

/** Milliseconds, because a login name can be given to another user. */
const knownFor = 10 * 60_000;

export function createLoginNames(clock: Clock): LoginNames {
  /** The most recent last. */
  const names = new Map<string, { readonly id: string; readonly until: number }>();
  return {
    idOf(loginName) {
      const known = names.get(loginName);
      return known !== undefined && known.until > clock.monotonic() ? known.id : undefined;
    },
    remember(loginName, id) {
      putRecent(names, loginName, { id, until: clock.monotonic() + knownFor });
    },
  };
}
