/** The reference server as a library: options in; an app to call, a socket to open, a state to reset out. */
import { randomBytes } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { systemClock } from '../lib/clock.ts';
import { builtInProfiles } from '../profiles/built-in.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { addKey } from './accounts.ts';
import { createActions } from './actions/assemble.ts';
import { createEventQueue } from './actions/events.ts';
import type { SentCall } from './actions/execute.ts';
import { actionHooks } from './actions/hooks.ts';
import { createApp } from './app.ts';
import { createBackground } from './background.ts';
import { createSkewedClock } from './clock.ts';
import type { ServerState } from './context.ts';
import { mountControl } from './control/control.ts';
import { createLedger } from './ledger.ts';
import { createFaults } from './limits/faults.ts';
import { mountGate } from './limits/gate.ts';
import type { LoggedRequest } from './limits/gate.ts';
import { limitHooks } from './limits/hooks.ts';
import type { Restrictions } from './limits/hooks.ts';
import { createRateLimiter, hostedRate } from './limits/rate.ts';
import type { RateLimit } from './limits/rate.ts';
import { listen } from './listen.ts';
import type { Listening } from './listen.ts';
import { exportMethods } from './methods/export-data.ts';
import { methods as userMethods } from './methods/index.ts';
import { openState } from './open-state.ts';
import type { ReferenceServer, ReferenceServerOptions } from './options.ts';
import { createPasswordCheck, hashPassword } from './passwords.ts';
import { createReadObject } from './read-object.ts';
import { mounts } from './routes/index.ts';
import { seedState } from './seed.ts';
import { createStore } from './store/store.ts';
import { createWebKey } from './web-key.ts';

export type { ReferenceServer, ReferenceServerOptions } from './options.ts';

/** Bodies of version 2 have no limit of their own in the service; this keeps a machine alive. */
const defaultMaxBody = 64 * 1024 * 1024;
const keptEntries = 10_000;

/** Throws an IdportError of `openDisk` when the folder cannot be used, a UsageError for an unknown profile. */
export function createReferenceServer(options: ReferenceServerOptions = {}): ReferenceServer {
  const profile = readProfile(options.profile);
  const clock = createSkewedClock(options.clock ?? systemClock);
  const ledgers = {
    calls: createLedger<SentCall>(keptEntries),
    requests: createLedger<LoggedRequest>(keptEntries),
    logLines: createLedger<string>(keptEntries),
  };
  const log = (line: string): void => {
    ledgers.logLines.add(line);
    options.onLog?.(line);
  };
  const background = createBackground((error) => log(`background work failed: ${(error as Error).message}`));
  const state: ServerState = {
    store: createStore(clock),
    webKey: createWebKey(),
    background: background.run,
    settings: {
      clock,
      hosts: options.hosts ?? [],
      profile,
      verifyPassword: createPasswordCheck(profile),
      hashPassword,
      secondsPerUser: options.secondsPerUser ?? 0,
      cutAfterSeconds: options.cutAfterSeconds ?? profile.requests.maxSeconds ?? 0,
      readObject: createReadObject(options.storageEndpoint),
      log,
    },
  };
  const { store } = state;

  const served = [...userMethods, ...exportMethods(options.storageEndpoint)];
  const actions = createActions(state, served, ledgers.calls, options);
  const { disk, known, restore } = openState(state, options);
  const events = createEventQueue(actions.setup, actions.sender, state);
  store.listen((change) => {
    disk?.write(change);
    events.onChange(change);
  });

  const restrictions: Restrictions = { blocked: false, quota: undefined };
  const faults = createFaults();
  const limit = readRate(options.rate, profile);
  const rate = limit === null ? undefined : createRateLimiter(limit);
  const controlToken =
    options.control === false ? undefined : (options.controlToken ?? randomBytes(24).toString('base64url'));

  const reset = (): Promise<void> => {
    restore();
    events.reset();
    for (const ledger of Object.values(ledgers)) ledger.clear();
    faults.clear();
    rate?.reset();
    clock.skew = 0;
    restrictions.blocked = false;
    restrictions.quota = undefined;
    return Promise.resolve();
  };
  const seed: ReferenceServer['seed'] = (body) => seedState(state, known.users.iamOwner, body);
  const about = { profile: profile.name, brand: actions.setup.brand, rate: limit?.perSecond ?? null };

  const app = createApp({
    state,
    methods: actions.methods,
    hooks: { ...limitHooks(restrictions), ...actionHooks(actions.setup, actions.sender) },
    mount: [
      (app) =>
        mountGate(app, {
          clock,
          faults,
          requests: ledgers.requests,
          rate,
          retryAfter: options.retryAfter ?? false,
          maxBody: options.maxBody ?? defaultMaxBody,
          failure: () => disk?.failure,
        }),
      (app) => {
        if (controlToken === undefined) return;
        mountControl(app, state, {
          token: controlToken,
          clock,
          faults,
          ...ledgers,
          restrictions,
          reset,
          seed,
          about,
        });
      },
      ...mounts,
    ],
  });

  const listening = new Set<Listening>();
  return {
    ...known,
    app,
    state,
    controlToken,
    restored: disk?.restored ?? 0,
    createKey: (userId = known.users.iamOwner) => addKey(state, userId),
    async listen(where) {
      const opened = await listen(app, where);
      listening.add(opened);
      return opened;
    },
    reset,
    seed,
    settled: background.settled,
    async close() {
      await Promise.all(Array.from(listening, (one) => one.close()));
      listening.clear();
      events.drop();
      await background.settled();
      await actions.sender.caller.close();
      await disk?.close();
    },
  };
}

function readProfile(profile: string | TargetProfile = 'hosted'): TargetProfile {
  if (typeof profile !== 'string') return profile;
  const found = builtInProfiles.get(profile);
  if (found !== undefined) return found;
  throw new UsageError(`there is no profile ${profile}`, {
    hint: `Choose one of ${[...builtInProfiles.keys()].join(', ')}, or a profile of your own.`,
  });
}

/** What was asked for, by the rule of the hosted service; else what the profile has. */
function readRate(asked: number | null | undefined, profile: TargetProfile): RateLimit | null {
  if (asked === undefined) return profile.rate;
  return asked === null ? null : hostedRate(asked);
}
