/** Creates a reference server from its options: state, limits, control interface, methods, socket. */
import type { Input } from '../wire/message.ts';
import { createTargetCaller } from './actions/call-target.ts';
import { createMethodNames } from './actions/names.ts';
import { methods } from './methods/index.ts';
import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { UsageError } from '../errors.ts';
import { systemClock } from '../lib/clock.ts';
import { builtInProfiles } from '../profiles/built-in.ts';
import type { importDataResponse } from '../wire/import.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { addKey } from './accounts.ts';
import { createEventQueue } from './actions/events.ts';
import type { Sender, SentCall } from './actions/execute.ts';
import { mountMethods } from './app.ts';
import { startState, seedState } from './bootstrap.ts';
import type { ServerSettings, ServerState } from './context.ts';
import { createSkewedClock, mountControl, type Control, type SkewedClock } from './control.ts';
import { createFaults } from './limits/faults.ts';
import { mountGate, type LoggedRequest } from './limits/gate.ts';
import { createRateLimiter, hostedRate } from './limits/rate.ts';
import { mountHealth } from './routes/health.ts';
import { mountToken } from './routes/token.ts';
import { dumpOrgs } from './export/org.ts';
import { exportText } from './export/text.ts';
import { createReadObject } from './methods/import-data.ts';
import type {
  Listening,
  ReferenceServer,
  ReferenceServerOptions,
  ConnectionLimits,
  ListenOptions,
} from './options.ts';
import { createRecent, excerpt } from './recent.ts';
import { createListView } from './store/list-view.ts';
import { createStore } from './store/store.ts';
import { createPasswordCheck, hashPassword } from './users/password.ts';
import { createWebKey } from './web-key.ts';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { openServer } from '../lib/http-server.ts';

export type { ReferenceServerOptions } from './options.ts';

/** For tests that look into the server. */
export interface InspectableServer extends ReferenceServer {
  readonly app: Hono;
  readonly state: ServerState;
  readonly seed: (body: unknown) => Promise<Input<typeof importDataResponse>>;
}

/** The service has no limit for bodies of version 2; this one protects the machine's memory. */
const defaultMaxBody = 64 * 1024 * 1024;
const keptRows = 100_000;

/** Throws a UsageError for an unknown profile. `settings` replace what the options give, for tests. */
export function createReferenceServer(
  options: ReferenceServerOptions = {},
  settings: Partial<ServerSettings> = {},
): InspectableServer {
  const core = createCore(options, settings);
  const { state, known } = core;
  const token =
    options.control === false ? undefined : (options.controlToken ?? randomBytes(24).toString('base64url'));
  const reset = async (): Promise<void> => resetServer(core);
  const seed: InspectableServer['seed'] = async (body) => {
    const answer = await seedState(state, known.users.iamOwner, body);
    state.lists.catchUp();
    return answer;
  };
  const app = createApp(core, options, token === undefined ? undefined : { token, reset, seed });
  const listening = new Set<Listening>();
  return {
    ...known,
    app,
    state,
    controlToken: token,
    createKey: (userId = known.users.iamOwner) => addKey(state, userId),
    async listen(where) {
      const opened = await listen(app, where);
      listening.add(opened);
      return opened;
    },
    reset,
    seed,
    dump: () => exportText(dumpOrgs(state.store, new Set(Object.values(known.users)))),
    settled: core.background.settled,
    async close() {
      await Promise.all(Array.from(listening, (one) => one.close()));
      listening.clear();
      core.events.drop();
      await core.background.settled();
      await core.sender.caller.close();
    },
  };
}

type Core = ReturnType<typeof createCore>;

/** The state and everything that works on it without a request. */
function createCore(options: ReferenceServerOptions, settings: Partial<ServerSettings>) {
  const clock = createSkewedClock(options.clock ?? systemClock);
  const recent = {
    calls: createRecent<SentCall>(),
    requests: createRecent<LoggedRequest>(),
    logLines: createRecent<string>(),
  };
  const log = (line: string): void => {
    recent.logLines.add(excerpt(line));
    options.onLog?.(line);
  };
  const background = createBackground((error) => log(`background work failed: ${(error as Error).message}`));
  const store = createStore(clock);
  const lists = createListView(store, clock, options.lag ?? 0);
  const state: ServerState = {
    store,
    lists,
    webKey: createWebKey(),
    background: background.run,
    restrictions: { blocked: false, quota: undefined },
    names: createMethodNames(methods.map(({ rpc }) => rpc)),
    settings: { ...createSettings(options, clock, log), ...settings },
  };
  const caller = createTargetCaller(state.settings.allowPrivateTargets);
  const sender: Sender = { state, caller, sent: recent.calls };
  const { known, restore } = startState(state, options);
  const limit = readRate(options.rate, state.settings.profile);
  const limits = {
    limit,
    rate: limit === null ? undefined : createRateLimiter(limit),
    faults: createFaults(),
  };
  const events = createEventQueue(sender);
  lists.catchUp();
  store.listen((change) => {
    events.onChange(change);
    lists.onChange(change);
  });
  return { clock, recent, background, state, sender, known, restore, limits, events };
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

function createSettings(
  options: ReferenceServerOptions,
  clock: SkewedClock,
  log: (line: string) => void,
): ServerSettings {
  const profile = readProfile(options.profile);
  const { hosts = [], secondsPerUser = 0, storageEndpoint, brand = 'zitadel' } = options;
  const { allowPrivateTargets = true, actions = true } = options;
  return {
    clock,
    profile,
    hosts,
    secondsPerUser,
    storageEndpoint,
    brand,
    allowPrivateTargets,
    actions,
    verifyPassword: createPasswordCheck(profile),
    hashPassword,
    cutAfterSeconds: options.cutAfterSeconds ?? profile.requests.maxSeconds ?? 0,
    readObject: createReadObject(storageEndpoint),
    keptRows,
    log,
  };
}

function resetServer({ state, recent, clock, limits, events, restore }: Core): void {
  restore();
  state.lists.catchUp();
  events.drop();
  for (const entries of Object.values(recent)) entries.clear();
  limits.faults.clear();
  limits.rate?.reset();
  clock.skew = 0;
  Object.assign(state.restrictions, { blocked: false, quota: undefined });
}

/** The gate first, then the control interface, then everything that a client of the service can call. */
function createApp(
  { state, sender, recent, clock, limits }: Core,
  { retryAfter = false, maxBody = defaultMaxBody, tellProfile }: ReferenceServerOptions,
  control: Pick<Control, 'token' | 'reset' | 'seed'> | undefined,
): Hono {
  const { profile, brand } = state.settings;
  const { limit, faults, rate } = limits;
  const shown = {
    about: { profile: profile.name, brand, rate: limit?.perSecond ?? null },
    profile: tellProfile === true ? { ...profile, rate: limit } : undefined,
  };
  const app = new Hono();
  mountGate(app, { clock, faults, requests: recent.requests, rate, retryAfter, maxBody });
  if (control !== undefined) mountControl(app, state, { ...control, ...recent, ...shown, clock, faults });
  mountHealth(app, state);
  mountToken(app, state);
  mountMethods(app, sender, methods);
  return app;
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

const defaultLimits: ConnectionLimits = {
  headers: 10_000,
  request: 120_000,
  idle: 5_000,
  silent: 600_000,
  headerBytes: 16 * 1024,
  check: 1_000,
};

/** Throws `listen:port` when the port is not available. */
export async function listen(app: Pick<Hono, 'fetch'>, options: ListenOptions = {}): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: options.ownProcess ?? false });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.idle,
      connectionsCheckingInterval: limits.check,
    },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  server.setTimeout(limits.silent);
  const opened = await openServer(server, options.host ?? '127.0.0.1', options.port ?? 0);
  return { ...opened, close: (grace = 10_000) => opened.close(grace) };
}
