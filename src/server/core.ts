/** Creates the state of a server with its standard accounts, and does what needs no request (reset, seed). */
import { translated } from '../records/language.ts';
import { UsageError } from '../errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { builtInProfiles } from '../profiles/built-in.ts';
import { decode, DecodeError } from '../wire/codec.ts';
import { type DataOrg, importDataOrg, importDataRequest, type importDataResponse } from '../wire/import.ts';
import { emptyMessageOf, type Input } from '../wire/message.ts';
import { addProjectRequest } from '../wire/org-resources.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { addMember, addOrgMember, addToken } from './accounts.ts';
import { createTargetCaller } from './actions/call-target.ts';
import { createEventQueue } from './actions/events.ts';
import { createMethodNames } from './actions/names.ts';
import type { ServerSettings, ServerState } from './method.ts';
import { inlineOrgs, runImport } from './import/run.ts';
import { createFaults } from './limits/faults.ts';
import { createRateLimiter, hostedRate } from './limits/rate.ts';
import { createReadObject, withoutHollow } from './methods/data.ts';
import { methods } from './methods/index.ts';
import { type ReferenceServerOptions, type StandardRole, standardRoles } from './options.ts';
import { newOrg } from './orgs.ts';
import type { Notification } from './store/rows.ts';
import { createRecent, excerpt } from './recent.ts';
import { createListView, createStore } from './store/store.ts';
import { createMachine } from './users/create.ts';
import { createPasswordCheck, hashPassword } from './users/password.ts';
import { createWebKey } from './web-key.ts';

export interface SkewedClock extends Clock {
  /** Milliseconds that `now()` is ahead, negative if behind. Timers and durations are not affected. */
  skew: number;
}

const keptRows = 100_000;
const unrestricted = { blocked: false, quota: null };

export type Core = ReturnType<typeof createCore>;

/** Throws `UsageError` for an unknown profile. For tests, `settings` override what follows from the options. */
export function createCore(options: ReferenceServerOptions, settings: Partial<ServerSettings>) {
  const real = options.clock ?? systemClock;
  const clock: SkewedClock = { ...real, skew: 0, now: () => real.now() + clock.skew };
  const recent = {
    calls: createRecent<unknown>(),
    requests: createRecent<unknown>(),
    lines: createRecent<unknown>(),
    notifications: createRecent<Notification>(settings.keptRows ?? keptRows),
  };
  const log = (line: string) => {
    recent.lines.add(excerpt(line));
    options.onLog?.(line);
  };
  const background = createBackground((error) => log(`background work failed: ${(error as Error).message}`));
  const store = createStore(clock);
  const lists = createListView(store, clock, options.lag ?? 0);
  const profile = readProfile(options.profile);
  const { hosts = [], secondsPerUser = 0, brand = 'zitadel', actions = true, storageEndpoint } = options;
  const { allowPrivateTargets = true, cutAfterSeconds = profile.requests.maxSeconds ?? 0 } = options;
  const state: ServerState = {
    store,
    lists,
    recent,
    webKey: createWebKey(),
    background: background.run,
    targetCaller: createTargetCaller(allowPrivateTargets),
    restrictions: { ...unrestricted },
    names: createMethodNames(methods.map(({ rpc }) => rpc)),
    settings: {
      clock,
      profile,
      hosts,
      secondsPerUser,
      brand,
      allowPrivateTargets,
      actions,
      storageEndpoint,
      verifyPassword: createPasswordCheck(profile),
      hashPassword,
      cutAfterSeconds,
      readObject: createReadObject(storageEndpoint),
      keptRows,
      log,
      ...settings,
    },
  };
  const { known, restore } = startState(state, options);
  const { rate: asked = profile.rate } = options;
  const limit = typeof asked === 'number' ? hostedRate(asked) : asked;
  const rate = limit === null ? undefined : createRateLimiter(limit);
  const events = createEventQueue(state);
  lists.catchUp();
  store.listen((change) => {
    events.onChange(change);
    lists.onChange(change);
  });
  const faults = createFaults();
  return { options, clock, background, state, known, restore, limit, rate, faults, events };
}

/** Runs work after the answer. The work handles its own errors; any other error goes to `onError`. */
function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  const run = (work: () => Promise<void>) => {
    const job = work()
      .catch(onError)
      .finally(() => running.delete(job));
    running.add(job);
  };
  /** Resolves when nothing runs any more, including work that was started meanwhile. */
  const settled = async () => {
    while (running.size > 0) await Promise.all(running);
  };
  return { run, settled };
}

function readProfile(profile: string | TargetProfile = 'hosted'): TargetProfile {
  if (typeof profile !== 'string') return profile;
  const found = builtInProfiles.get(profile);
  if (found !== undefined) return found;
  throw new UsageError(
    `there is no profile ${profile}`,
    `Choose one of ${[...builtInProfiles.keys()].join(', ')}, or a profile of your own.`,
  );
}

/** Returns to the initial state: the standard accounts with the same tokens and keys, and nothing else. */
export function reset({ state, clock, faults, rate, events, restore }: Core) {
  restore();
  state.lists.catchUp();
  events.drop();
  for (const entries of Object.values(state.recent)) entries.clear();
  faults.clear();
  rate?.reset();
  clock.skew = 0;
  Object.assign(state.restrictions, unrestricted);
}

/** As on a new installation of the service, the first user owns the first organization as well. */
const accounts: Readonly<Record<StandardRole, { userName: string; orgRole?: string; iamRole?: string }>> = {
  iamOwner: { userName: 'iam-owner', orgRole: 'ORG_OWNER', iamRole: 'IAM_OWNER' },
  iamViewer: { userName: 'iam-viewer', iamRole: 'IAM_OWNER_VIEWER' },
  orgOwner: { userName: 'org-owner', orgRole: 'ORG_OWNER' },
  nobody: { userName: 'no-role' },
};

/** Creates the instance. `restore` returns to the standard accounts with the same tokens and keys. */
function startState(state: ServerState, options: ReferenceServerOptions) {
  const { store } = state;
  const instanceId = store.nextId();
  const orgId = options.orgId ?? store.nextId();
  const projectId = store.nextId();
  const now = store.now();
  store.instances.put({
    id: 'instance',
    instanceId,
    name: 'ZITADEL',
    domain: options.domain ?? 'localhost',
    defaultOrgId: orgId,
    projectId,
    created: now,
    passwordComplexity: {
      minLength: 8,
      hasUppercase: true,
      hasLowercase: true,
      hasNumber: true,
      hasSymbol: true,
    },
    languages: [...translated],
  });
  const org = store.orgs.put(newOrg(state, orgId, options.orgName ?? 'Default'));
  const project = { ...emptyMessageOf(addProjectRequest), name: 'ZITADEL' };
  store.projects.put({ id: projectId, orgId, project, created: now });
  const users = {} as Record<StandardRole, string>;
  const tokens = {} as Record<StandardRole, string>;
  for (const role of standardRoles) {
    const { userName, orgRole, iamRole } = accounts[role];
    const { id: userId } = createMachine(state, org, users.iamOwner ?? '', {
      userName,
      name: userName,
    });
    if (orgRole !== undefined) addOrgMember(state, orgId, userId, [orgRole]);
    if (iamRole !== undefined) {
      addMember(state, { scope: 'iam', objectId: '', projectId: '', orgId: '', userId, roles: [iamRole] });
    }
    users[role] = userId;
    tokens[role] = addToken(state, userId, options.tokens?.[role]).id;
  }
  const beginning = [...store.dump()];
  const restore = () => {
    const keys = Object.values(users).flatMap((id) => store.machineKeys.by('user', id));
    store.clear();
    for (const change of beginning) store.apply(change);
    for (const key of keys) store.machineKeys.put(key);
  };
  return { known: { instanceId, orgId, users, tokens }, restore };
}

/**
 * Imports `body`, which is a whole request (`{"dataOrgs": {...}}`) or an export (`{"orgs": [...]}`), and returns the
 * import's answer. A new organization without a name gets its id as name. Users keep the state that the body gives
 * them. No email is recorded, no time is charged, and no field rules are checked.
 */
export async function seed({ state, known }: Core, body: unknown): Promise<Input<typeof importDataResponse>> {
  const read = readOrgs(body).map((org) =>
    withoutHollow(org, (what) => {
      throw new UsageError(`the seed has ${what} in organization ${org.orgId}`);
    }),
  );
  const owners = new Map(
    read.flatMap(({ orgId, projects }) => projects.map(({ projectId }) => [projectId, orgId])),
  );
  const orgs = read.map((org) => ({
    ...org,
    org: org.org ?? { name: org.orgId },
    // An export repeats project members in every organization.
    projectMembers: org.projectMembers.filter(
      ({ projectId }) => (owners.get(projectId) ?? org.orgId) === org.orgId,
    ),
  }));
  const settings = { ...state.settings, secondsPerUser: 0, cutAfterSeconds: 0, isSeed: true };
  const answer = await runImport(
    { ...state, settings },
    { editor: known.users.iamOwner, textsTo: undefined },
    orgs,
    Infinity,
  );
  state.lists.catchUp();
  return answer;
}

function readOrgs(body: unknown): readonly DataOrg[] {
  const bytes = Buffer.from(JSON.stringify(body));
  try {
    if (Array.isArray((body as { orgs?: unknown } | null)?.orgs)) return decode(importDataOrg, bytes).orgs;
    const orgs = inlineOrgs(decode(importDataRequest, bytes));
    if (orgs !== undefined) return orgs;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new UsageError(`the seed cannot be read: ${error.message}`, undefined, error);
  }
  throw new UsageError(
    'the seed has no orgs',
    'Give an import body: {"dataOrgs": {"orgs": [...]}}, or what an export gives: {"orgs": [...]}.',
  );
}
