/**
 * Implements the hosted service's rate limit per address: requests per second over a window, and a ban for addresses
 * that keep exceeding it.
 */
import type { TargetProfile } from '../../wire/profile.ts';

type Rate = NonNullable<TargetProfile['rate']>;

/**
 * Returns the hosted service's rule for a rate: measured over a minute, with a one-minute ban for exceeding it over
 * three minutes. A careful client stays a tenth below it, as in the profile `hosted`.
 */
export const hostedRate = (perSecond: number): Rate => ({
  perSecond,
  windowSeconds: 60,
  ban: { perSecond, windowSeconds: 180, seconds: 60 },
  clientPerSecond: perSecond * 0.9,
});

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Maximum number of addresses. The one that has been quiet for longest is dropped first. */
const maxAddresses = 10_000;

/** The recent requests of an address, counted by second. */
interface Track {
  readonly bySecond: Map<number, number>;
  second: number;
  bannedUntil: number;
}

/**
 * Creates a rate limiter. "50 requests/s over a minute" means 3,000 requests within any 60 s; further ones get 429. The
 * same rate over 3 minutes bans the address for a minute. Source: the hosted service's rate limit policy. The
 * resolution here is one second.
 */
export function createRateLimiter({ perSecond, windowSeconds, ban }: Omit<Rate, 'clientPerSecond'>) {
  const tracks = new Map<string, Track>();
  const span = Math.max(windowSeconds, ban?.windowSeconds ?? 0);
  const most = perSecond * windowSeconds;

  return {
    /** Counts one request, even if it is refused. `now` is in milliseconds. Returns undefined if the request passes. */
    take(address: string, now: number) {
      const track = trackOf(tracks, address);
      count(track, Math.floor(now / 1000), span);
      if (now < track.bannedUntil) return refuse(true, track.bannedUntil - now);
      if (ban !== null && sumOf(track, ban.windowSeconds) > ban.perSecond * ban.windowSeconds) {
        track.bannedUntil = now + ban.seconds * 1000;
        return refuse(true, ban.seconds * 1000);
      }
      if (sumOf(track, windowSeconds) <= most) return undefined;
      // Whole seconds until enough of the window's requests have left it.
      let wait = 1;
      while (wait < windowSeconds && sumOf(track, windowSeconds - wait) >= most) wait++;
      return refuse(false, wait * 1000);
    },
    reset: () => tracks.clear(),
  };
}

/** `wait` is in milliseconds. `retryAfter` is the number of seconds until another request would pass. */
const refuse = (banned: boolean, wait: number) => ({ banned, retryAfter: Math.ceil(wait / 1000) });

function trackOf(tracks: Map<string, Track>, address: string): Track {
  const known = tracks.get(address);
  // Adding a known address again moves it to the end, so the first key is the one that has been quiet for longest.
  if (known !== undefined) tracks.delete(address);
  else if (tracks.size >= maxAddresses) tracks.delete(tracks.keys().next().value!);
  const track = known ?? { bySecond: new Map(), second: -Infinity, bannedUntil: 0 };
  tracks.set(address, track);
  return track;
}

/** Counts one request and forgets seconds that are older than the longer window. */
function count(track: Track, second: number, span: number) {
  const { bySecond } = track;
  track.second = Math.max(track.second, second);
  bySecond.set(track.second, (bySecond.get(track.second) ?? 0) + 1);
  for (const first of bySecond.keys()) {
    if (first > track.second - span) break;
    bySecond.delete(first);
  }
}

function sumOf({ bySecond, second }: Track, seconds: number) {
  let sum = 0;
  for (const [at, requests] of bySecond) if (at > second - seconds) sum += requests;
  return sum;
}
