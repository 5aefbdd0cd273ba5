/** A person whose request was sent without an answer in; whether it is there, and whether it is ours, out. */
import { findPeople, type Found } from './find-users.ts';
import type { UsersRun } from '../import-users/run.ts';

export interface Sought {
  readonly userName: string;
  /** Undefined where nobody knows it any more; empty for a service account. */
  readonly email: string | undefined;
  /** When the first request left, on the service's clock, in milliseconds. */
  readonly since: number;
}

export type Seen =
  | { readonly state: 'ours'; readonly id: string }
  /** Was there before, or has another e-mail. */
  | { readonly state: 'other'; readonly id: string }
  | { readonly state: 'missing' };

/** Lists follow a moment after what was done, and a request may still be at work. */
const mostLooks = 3;
const pause = 1000;

/** Looks again where somebody is missing. */
export async function findOurs(run: UsersRun, sought: readonly Sought[], looks = mostLooks): Promise<Seen[]> {
  let seen: Seen[] = sought.map(() => ({ state: 'missing' }));
  for (let look = 0; look < looks; look++) {
    if (look > 0) {
      run.emit({ type: 'run:waiting', reason: 'service-busy', seconds: pause / 1000 });
      await run.clock.sleep(pause, run.signal);
    }
    const places = [...seen.keys()].filter((place) => seen[place]!.state === 'missing');
    const people = places.map((place) => ({ id: '', userName: sought[place]!.userName }));
    const found = await findPeople(run.client, run.org, people);
    seen = seen.map((before, place) => {
      const user = found.get(places.indexOf(place));
      return before.state === 'missing' && user !== undefined ? judge(sought[place]!, user) : before;
    });
    if (seen.every(({ state }) => state !== 'missing')) break;
  }
  return seen;
}

function judge({ email, since }: Sought, user: Found): Seen {
  const sameEmail = email === undefined || user.email.trim().toLowerCase() === email.trim().toLowerCase();
  return { state: user.createdAt >= since && sameEmail ? 'ours' : 'other', id: user.id };
}
