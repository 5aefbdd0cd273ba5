/** The state of a server, and everything that works on it without a request. */
import { UsageError } from '../errors.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { builtInProfiles } from '../profiles/built-in.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { createTargetCaller } from './actions/call-target.ts';
import { createEventQueue } from './actions/events.ts';
import type { Sender, SentCall } from './actions/execute.ts';
import { createMethodNames } from './actions/names.ts';
import { seedState, startState } from './bootstrap.ts';
import type { ServerSettings, ServerState } from './context.ts';
import { createFaults } from './limits/faults.ts';
import { createRateLimiter, hostedRate } from './limits/rate.ts';
import { createReadObject } from './methods/import-data.ts';
import { methods } from './methods/index.ts';
import type { ReferenceServerOptions } from './options.ts';
import { createRecent, excerpt } from './recent.ts';
import { createListView } from './store/list-view.ts';
import { createStore } from './store/store.ts';
import { createPasswordCheck, hashPassword } from './users/password.ts';
import { createWebKey } from './web-key.ts';

export interface LoggedRequest {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** 0 for a connection that was cut. */
  readonly status: number;
  readonly ms: number;
  readonly address: string;
  /** What the server did to the request on purpose: `rate`, `ban`, `too-long`, `fault <id>`. */
  readonly note: string | undefined;
}

export interface SkewedClock extends Clock {
  /** Milliseconds that `now()` is ahead, negative for behind; timers and durations are not affected. */
  skew: number;
}

function createSkewedClock(base: Clock): SkewedClock {
  const clock: SkewedClock = {
    skew: 0,
    now: () => base.now() + clock.skew,
    monotonic: () => base.monotonic(),
    sleep: (ms, signal, options) => base.sleep(ms, signal, options),
    random: () => base.random(),
  };
  return clock;
}

const keptRows = 100_000;

export type Core = ReturnType<typeof createCore>;

/** Throws a UsageError for an unknown profile. `settings` replace what the options give, for tests. */
export function createCore(options: ReferenceServerOptions, settings: Partial<ServerSettings>) {
  const clock = createSkewedClock(options.clock ?? systemClock);
  const recent = {
    calls: createRecent<SentCall>(),
    requests: createRecent<LoggedRequest>(),
    lines: createRecent<string>(),
  };
  const log = (line: string): void => {
    recent.lines.add(excerpt(line));
    options.onLog?.(line);
  };
  const background = createBackground((error) => log(`background work failed: ${(error as Error).message}`));
  const store = createStore(clock);
  const lists = createListView(store, clock, options.lag ?? 0);
  const profile = readProfile(options.profile);
  const state: ServerState = {
    store,
    lists,
    webKey: createWebKey(),
    background: background.run,
    restrictions: { blocked: false, quota: undefined },
    names: createMethodNames(methods.map(({ rpc }) => rpc)),
    settings: {
      clock,
      profile,
      hosts: options.hosts ?? [],
      secondsPerUser: options.secondsPerUser ?? 0,
      brand: options.brand ?? 'zitadel',
      allowPrivateTargets: options.allowPrivateTargets ?? true,
      actions: options.actions ?? true,
      storageEndpoint: options.storageEndpoint,
      verifyPassword: createPasswordCheck(profile),
      hashPassword,
      cutAfterSeconds: options.cutAfterSeconds ?? profile.requests.maxSeconds ?? 0,
      readObject: createReadObject(options.storageEndpoint),
      keptRows,
      log,
      ...settings,
    },
  };
  const caller = createTargetCaller(state.settings.allowPrivateTargets);
  const sender: Sender = { state, caller, sent: recent.calls };
  const { known, restore } = startState(state, options);
  const limit = readRate(options.rate, profile);
  const rate = limit === null ? undefined : createRateLimiter(limit);
  const events = createEventQueue(sender);
  lists.catchUp();
  store.listen((change) => {
    events.onChange(change);
    lists.onChange(change);
  });
  const faults = createFaults();
  return { options, clock, recent, background, state, sender, known, restore, limit, rate, faults, events };
}

/** Runs work after the answer, which handles its own errors; any other goes to `onError`. */
function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  const run = (work: () => Promise<void>): void => {
    const job: Promise<void> = work()
      .catch(onError)
      .finally(() => running.delete(job));
    running.add(job);
  };
  /** Resolves when nothing runs any more, including work started meanwhile. */
  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };
  return { run, settled };
}

function readProfile(profile: string | TargetProfile = 'hosted'): TargetProfile {
  if (typeof profile !== 'string') return profile;
  const found = builtInProfiles.get(profile);
  if (found !== undefined) return found;
  throw new UsageError(`there is no profile ${profile}`, {
    hint: `Choose one of ${[...builtInProfiles.keys()].join(', ')}, or a profile of your own.`,
  });
}

/** The rate of the options under the rule of the hosted service; by default the profile's. */
function readRate(asked: number | null | undefined, profile: TargetProfile): TargetProfile['rate'] {
  if (asked === undefined) return profile.rate;
  return asked === null ? null : hostedRate(asked);
}

/** Back to the start: the standard accounts with the same tokens and keys, and nothing else. */
export function reset({ state, recent, clock, faults, rate, events, restore }: Core): void {
  restore();
  state.lists.catchUp();
  events.drop();
  for (const entries of Object.values(recent)) entries.clear();
  faults.clear();
  rate?.reset();
  clock.skew = 0;
  Object.assign(state.restrictions, { blocked: false, quota: undefined });
}

/** Takes an import body; gives the answer of the import. */
export async function seed({ state, known }: Core, body: unknown) {
  const answer = await seedState(state, known.users.iamOwner, body);
  state.lists.catchUp();
  return answer;
}
