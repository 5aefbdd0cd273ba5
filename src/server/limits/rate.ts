/** The rate limit of the hosted service by address: requests per second over a window, and a ban for who goes on. */

/** Rates are means over their windows, in requests per second. */
export interface RateLimit {
  readonly perSecond: number;
  readonly windowSeconds: number;
  /** An address above this rate is refused for `seconds`; null for no ban. */
  readonly ban: {
    readonly perSecond: number;
    readonly windowSeconds: number;
    readonly seconds: number;
  } | null;
}

/** The rule of the hosted service for a rate: over a minute, and a ban of a minute for the same over three. */
export function hostedRate(perSecond: number): RateLimit {
  return { perSecond, windowSeconds: 60, ban: { perSecond, windowSeconds: 180, seconds: 60 } };
}

export type RateVerdict =
  | { readonly allowed: true }
  /** `retryAfter`: seconds until one more request would pass. */
  | { readonly allowed: false; readonly banned: boolean; readonly retryAfter: number };

export interface RateLimiter {
  /** Counts one request, refused ones too. `now` in milliseconds. */
  take(address: string, now: number): RateVerdict;
  reset(): void;
}

/** Most addresses that are kept; the one unseen for longest goes first. */
const maxAddresses = 10_000;

/** Requests by second, as far back as the longer window goes, and their sums over the two. */
interface Track {
  readonly bySecond: Uint32Array;
  second: number;
  recent: number;
  all: number;
  bannedUntil: number;
}

/**
 * "50 requests/s over a minute" is 3,000 requests within any 60 s; more get 429. The same rate over 3 minutes
 * bans the address for a minute. Source: the hosted service's rate limit policy; seconds are the resolution here.
 */
export function createRateLimiter(limit: RateLimit): RateLimiter {
  const tracks = new Map<string, Track>();
  const window = limit.windowSeconds;
  const span = Math.max(window, limit.ban?.windowSeconds ?? 0);
  const most = limit.perSecond * window;
  const mostBeforeBan = limit.ban === null ? Infinity : limit.ban.perSecond * limit.ban.windowSeconds;

  return {
    take(address, now) {
      const second = Math.floor(now / 1000);
      const track = trackOf(tracks, address, second, span);
      count(track, second, window);
      if (now < track.bannedUntil) return refuse(true, track.bannedUntil - now);
      if (limit.ban !== null && sumOf(track, limit.ban.windowSeconds, window) > mostBeforeBan) {
        track.bannedUntil = now + limit.ban.seconds * 1000;
        return refuse(true, limit.ban.seconds * 1000);
      }
      if (track.recent > most) return refuse(false, waitFor(track, most, window) * 1000);
      return { allowed: true };
    },
    reset: () => tracks.clear(),
  };
}

function refuse(banned: boolean, wait: number): RateVerdict {
  return { allowed: false, banned, retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
}

function trackOf(tracks: Map<string, Track>, address: string, second: number, span: number): Track {
  const known = tracks.get(address);
  // Put in again at the end, so that the first one is the one unseen for longest.
  if (known !== undefined) tracks.delete(address);
  else if (tracks.size >= maxAddresses) tracks.delete(tracks.keys().next().value!);
  const track = known ?? { bySecond: new Uint32Array(span), second, recent: 0, all: 0, bannedUntil: 0 };
  tracks.set(address, track);
  return track;
}

function count(track: Track, second: number, window: number): void {
  const { bySecond } = track;
  const span = bySecond.length;
  const passed = Math.min(Math.max(0, second - track.second), span);
  for (let i = 1; i <= passed; i++) {
    const current = second - passed + i;
    // First what leaves the shorter window: where both are the same it is the place that is emptied next.
    track.recent -= at(bySecond, current - window);
    track.all -= at(bySecond, current);
    bySecond[index(bySecond, current)] = 0;
  }
  if (passed === span) track.recent = 0;
  track.second = Math.max(track.second, second);
  bySecond[index(bySecond, track.second)] = at(bySecond, track.second) + 1;
  track.recent++;
  track.all++;
}

/** The ban's window is nearly always the whole span or the shorter window; any other is summed up. */
function sumOf(track: Track, seconds: number, window: number): number {
  if (seconds === track.bySecond.length) return track.all;
  if (seconds === window) return track.recent;
  let sum = 0;
  for (let i = 0; i < seconds; i++) sum += at(track.bySecond, track.second - i);
  return sum;
}

/** Whole seconds until enough of the window's requests have left it. */
function waitFor(track: Track, most: number, window: number): number {
  let left = track.recent;
  for (let wait = 1; wait < window; wait++) {
    left -= at(track.bySecond, track.second - window + wait);
    if (left < most) return wait;
  }
  return window;
}

function at(bySecond: Uint32Array, second: number): number {
  return bySecond[index(bySecond, second)] ?? 0;
}

function index(bySecond: Uint32Array, second: number): number {
  const { length } = bySecond;
  return ((second % length) + length) % length;
}
