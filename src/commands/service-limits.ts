/** Chooses the target profile and the request limits of a run. */
import { note } from '../events.ts';
import type { Limit } from '../api/sliding-window.ts';
import type { ConnectionFlags, SpeedFlags } from '../flags/connection.ts';
import type { CommandContext } from './context.ts';
import { loadProfile } from '../profiles/load.ts';
import type { TargetProfile } from '../wire/profile.ts';

const hostedHost = /(^|\.)zitadel\.(?:cloud|ch)$/;

/**
 * Returns the named profile. Else returns that of a running `idport serve`, `hosted` for hosts of the vendor, and
 * `self-hosted` for others. Emits a note with the choice and its reason.
 */
export async function chooseProfile(
  { targetProfile: flag, url: given }: SpeedFlags & ConnectionFlags,
  { cwd, emit, addFacts, env }: CommandContext,
  asks = true,
) {
  const url = given ?? env['IDPORT_URL'];
  const host = hostOf(url);
  const byHost = hostedHost.test(host) ? 'hosted' : 'self-hosted';
  const told = asks && flag === undefined ? await askProfile(url) : undefined;
  const profile = told ?? (await loadProfile(flag ?? byHost, cwd));
  addFacts({ profile: profile.name });
  const why = told === undefined ? reasonOf(host) : `${host} is idport serve with that profile`;
  const text =
    flag === undefined
      ? `Target profile ${profile.name}, because ${why}. Choose another with --target-profile.`
      : `Target profile ${profile.name} (--target-profile).`;
  emit(note('profile:chosen', text));
  return profile;
}

/** Longest wait for the answer of `idport serve` (ms). */
const patience = 2000;

/**
 * Returns the profile of `idport serve`. Undefined for other services, which answer 404. Asks only over plain HTTP, which
 * no hosted service has.
 */
async function askProfile(url = '') {
  if (!url.startsWith('http://') || hostedHost.test(hostOf(url))) return undefined;
  try {
    const { origin } = new URL(url);
    const signal = AbortSignal.timeout(patience);
    const answer = await fetch(`${origin}/_idport/profile`, { redirect: 'error', signal });
    if (!answer.ok) return undefined;
    return (await import('../profiles/parse.ts')).parseProfile(await answer.text(), origin);
  } catch {
    return undefined;
  }
}

const hostOf = (url = '') => (URL.canParse(url) ? new URL(url).hostname : '');

function reasonOf(host: string) {
  if (host === '') return 'no address of a service is given';
  return `${host} is ${hostedHost.test(host) ? 'a host of the vendor' : 'not a host of the vendor'}`;
}

/** Returns the speed of the client. Without a shared store, each of `shards` processes gets its part of the rate. */
export function speedOptions(flags: SpeedFlags, profile: TargetProfile, shards = 1) {
  const rate = rateOf(flags, profile, shards);
  const ban = profile.rate?.ban ?? undefined;
  return {
    limits: rate === undefined ? [] : limitsOf(rate, profile.rate, shards),
    pause:
      profile.rate === null ? undefined : { ban: ban && ban.seconds * 1000, first: 1000, longest: 60_000 },
    budget: flags.budget,
  };
}

/** Returns the requests per second of one process, by the flag, else by the profile. Undefined without a limit. */
export function rateOf({ rate }: SpeedFlags, profile: TargetProfile, shards = 1) {
  const perSecond = rate ?? profile.rate?.clientPerSecond;
  return perSecond === undefined || perSecond === Infinity ? undefined : perSecond / shards;
}

function limitsOf(rate: number, profile: TargetProfile['rate'], shards: number) {
  const seconds = Number.isInteger(rate) ? 1 : 10;
  const second: Limit =
    rate < 1
      ? { count: 1, windowMs: 1000 / rate }
      : { count: Math.floor(rate * seconds), windowMs: seconds * 1000 };
  if (profile === null || profile.windowSeconds <= 1) return [second];
  const perWindow = Math.floor(Math.min(rate, profile.perSecond / shards) * profile.windowSeconds);
  return perWindow < 1 ? [second] : [second, { count: perWindow, windowMs: profile.windowSeconds * 1000 }];
}
