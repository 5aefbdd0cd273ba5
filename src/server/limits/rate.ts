/**
 * The rate limit of the hosted service by address: requests per second over a window, and a ban for addresses that keep
 * exceeding it.
 */
import type { TargetProfile } from '../../wire/profile.ts';

type Rate = NonNullable<TargetProfile['rate']>;

/**
 * The rule of the hosted service for a rate: over a minute, and a ban of a minute for the same over three. A careful
 * client keeps a tenth below it, as in the profile `hosted`.
 */
export const hostedRate = (perSecond: number): Rate => ({
  perSecond,
  windowSeconds: 60,
  ban: { perSecond, windowSeconds: 180, seconds: 60 },
  clientPerSecond: perSecond * 0.9,
});

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Maximum number of addresses; the one unseen for longest is dropped first. */
const maxAddresses = 10_000;

/** The newest requests, counted by second. */
interface Track {
  readonly bySecond: Map<number, number>;
  second: number;
  bannedUntil: number;
}

/**
 * "50 requests/s over a minute" is 3,000 requests within any 60 s; more get 429. The same rate over 3 minutes
 * bans the address for a minute. Source: the hosted service's rate limit policy; seconds are the resolution here.
 */
export function createRateLimiter({ perSecond, windowSeconds, ban }: Omit<Rate, 'clientPerSecond'>) {
  const tracks = new Map<string, Track>();
  const span = Math.max(windowSeconds, ban?.windowSeconds ?? 0);
  const most = perSecond * windowSeconds;

  return {
    /** Counts one request, refused ones too. `now` in milliseconds. Undefined for one that passes. */
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

/** `retryAfter`: seconds until one more request would pass. */
const refuse = (banned: boolean, wait: number) => ({
  banned,
  retryAfter: Math.max(1, Math.ceil(wait / 1000)),
});

function trackOf(tracks: Map<string, Track>, address: string): Track {
  const known = tracks.get(address);
  // Put in again at the end, so that the first one is the one unseen for longest.
  if (known !== undefined) tracks.delete(address);
  else if (tracks.size >= maxAddresses) tracks.delete(tracks.keys().next().value!);
  const track = known ?? { bySecond: new Map(), second: -Infinity, bannedUntil: 0 };
  tracks.set(address, track);
  return track;
}

/** Forgets what is older than the longer window. */
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
