/** Looks up users whose requests were sent without an answer: are they there, and did this run create them? */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import { findUsers, type FoundUser, type UserKey } from './find-users.ts';

export interface SentUser extends UserKey {
  readonly org: string;
  /** Undefined where it is not known any more; empty for a service account. */
  readonly email?: string | undefined;
  /** When the first request was sent that may have created the user, on the service's clock, in milliseconds. */
  readonly since: number;
}

export type Seen =
  | { readonly state: 'ours'; readonly user: FoundUser }
  /** Existed before, or is another user of this name. */
  | { readonly state: 'other'; readonly user: FoundUser }
  | { readonly state: 'missing' };

export interface LookUpContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** Looks again after so long, until nothing has changed twice. */
const pause = 2000;
const unchangedTwice = 2;

/** In the order of `users`. */
export async function lookUp(client: Client, users: readonly SentUser[]): Promise<Seen[]> {
  const seen: Seen[] = users.map(() => missing);
  for (const org of new Set(users.map((user) => user.org))) {
    const members = [...users.keys()].filter((at) => users[at]!.org === org);
    const found = await findUsers(
      client,
      org,
      members.map((at) => users[at]!),
    ).catch(nobodyWithoutOrg);
    for (const [place, at] of members.entries()) {
      const user = found.get(place);
      if (user !== undefined) seen[at] = { state: isOurs(users[at]!, user) ? 'ours' : 'other', user };
    }
  }
  return seen;
}

const missing: Seen = { state: 'missing' };

/** The same for a service that may still be at work, with lists that follow a moment later. */
export async function lookUpUntilStill(
  { client, clock, emit, signal }: LookUpContext,
  users: readonly SentUser[],
): Promise<Seen[]> {
  let seen = await lookUp(client, users);
  for (let unchanged = 0; unchanged < unchangedTwice && countMissing(seen) > 0;) {
    emit({ type: 'run:waiting', reason: 'service-busy', seconds: pause / 1000 });
    await clock.sleep(pause, signal);
    const next = await lookUp(client, users);
    unchanged = countMissing(next) === countMissing(seen) ? unchanged + 1 : 0;
    seen = next;
  }
  return seen;
}

const countMissing = (seen: readonly Seen[]): number =>
  seen.filter(({ state }) => state === 'missing').length;

function isOurs({ since, email }: SentUser, user: FoundUser): boolean {
  const sameEmail = email === undefined || user.email.trim().toLowerCase() === email.trim().toLowerCase();
  return user.createdAt >= since && sameEmail;
}

/** Error of calls that name an organization in their header. */
export const noSuchOrg = 'AUTH-Bs7Ds';

/** An organization that is still to be created has no users. */
function nobodyWithoutOrg(error: unknown): Map<number, FoundUser> {
  if (error instanceof ApiError && error.id === noSuchOrg) return new Map();
  throw error;
}
