/** The control interface under `/_idport/`: lets tests see and do what no client of the service can. */
import { timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { SentCall } from './actions/execute.ts';
import type { ServerState } from './context.ts';
import { faultSchema, type Faults } from './limits/faults.ts';
import type { TargetProfile } from '../wire/profile.ts';
import { controlPrefix, type LoggedRequest } from './limits/gate.ts';
import type { Recent } from './recent.ts';
import { usersOf, type Store } from './store/store.ts';
import { countMessages } from './users/notifications.ts';
import type { UserRow } from './store/rows.ts';

/** Needs no token: a client asks for it before its first call, to learn the limits. */
const profilePath = `${controlPrefix}profile`;

export interface Control {
  readonly token: string;
  readonly clock: SkewedClock;
  readonly faults: Faults;
  readonly calls: Recent<SentCall>;
  readonly requests: Recent<LoggedRequest>;
  readonly logLines: Recent<string>;
  readonly reset: () => Promise<void>;
  /** Takes an import body; gives the answer of the import. */
  readonly seed: (body: unknown) => Promise<unknown>;
  /** Shown without a token, with the rate that applies; absent: not shown. */
  readonly profile: TargetProfile | undefined;
  /** Name of the profile, brand and rate, as `state` shows them. */
  readonly about: Readonly<Record<string, unknown>>;
}

const restrictionsSchema = z.strictObject({
  blocked: z.boolean().optional(),
  /** Calls that are still allowed; null for no quota. */
  quota: z.int().min(0).nullable().optional(),
});
const listsSchema = z.strictObject({ lose: z.int().min(0) });
const clockSchema = z.union([
  z.strictObject({ skew: z.int() }),
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
]);

/** A refusal of this interface. */
class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: 400 | 404;
  constructor(text: string, status: 400 | 404 = 400) {
    super(text);
    this.status = status;
  }
}

export function mountControl(app: Hono, state: ServerState, control: Control): void {
  const { profile } = control;
  if (profile !== undefined) app.get(profilePath, (context) => context.json(profile));
  const expected = Buffer.from(`Bearer ${control.token}`);
  app.use(`${controlPrefix}*`, async (context, next) => {
    const given = Buffer.from(context.req.header('authorization') ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return context.json({ error: 'the control token is missing or another one' }, 401);
    }
    return next();
  });
  const table = { ...views(state, control), ...switches(state, control) };
  for (const [route, answer] of Object.entries(table)) {
    const [verb = '', path = ''] = route.split(' ');
    app.on(verb, controlPrefix + path, async (context) => {
      try {
        return context.json((await answer(context)) as object, route === 'POST faults' ? 201 : 200);
      } catch (error) {
        if (error instanceof ControlError) return context.json({ error: error.message }, error.status);
        if (error instanceof UsageError) return context.json({ error: error.message }, 400);
        throw error;
      }
    });
  }
  app.all(`${controlPrefix}*`, (context) =>
    context.json({ error: `there is no ${context.req.method} ${context.req.path}` }, 404),
  );
}

type Routes = Readonly<Record<string, (context: Context) => unknown>>;

function views(state: ServerState, { about, calls, requests, logLines, clock, faults }: Control): Routes {
  const { store } = state;
  const shown =
    <T>(name: string, recent: Recent<T>) =>
    (context: Context) => ({
      total: recent.total,
      [name]: pageOf(recent.list(), context),
    });
  return {
    'GET state': () => ({
      ...about,
      ...countState(store),
      calls: calls.total,
      requests: requests.total,
      clock: showClock(clock),
      restrictions: showRestrictions(state),
    }),
    'GET users': (context) => {
      const users = usersOf(store, context.req.query('org'));
      return { total: users.length, users: pageOf(users, context).map(showUser) };
    },
    'GET users/:id': (context) => {
      const user = store.users.get(context.req.param('id') ?? '');
      if (user === undefined) throw new ControlError('no such user', 404);
      return showUser(user);
    },
    'GET notifications': (context) => ({
      total: countMessages(store),
      notifications: pageOf(store.notifications.list(), context),
    }),
    'GET calls': shown('calls', calls),
    'GET requests': shown('requests', requests),
    'GET log': shown('lines', logLines),
    'GET faults': () => ({ faults: faults.list() }),
    'GET clock': () => showClock(clock),
    'GET restrictions': () => showRestrictions(state),
  };
}

function switches(state: ServerState, { reset, seed, faults, clock }: Control): Routes {
  const { restrictions } = state;
  return {
    'POST reset': async () => {
      await reset();
      return {};
    },
    'POST seed': async (context) => seed(await read(context, z.unknown())),
    'POST faults': async (context) => faults.add(await read(context, faultSchema)),
    'DELETE faults': () => {
      faults.clear();
      return {};
    },
    'DELETE faults/:id': (context) => {
      if (!faults.remove(Number(context.req.param('id')))) throw new ControlError('no such fault', 404);
      return {};
    },
    'PUT clock': async (context) => {
      const requested = await read(context, clockSchema);
      const now = clock.now() - clock.skew;
      clock.skew = 'skew' in requested ? requested.skew : Date.parse(requested.now) - now;
      return showClock(clock);
    },
    'PUT restrictions': async (context) => {
      const { blocked = restrictions.blocked, quota } = await read(context, restrictionsSchema);
      restrictions.blocked = blocked;
      if (quota !== undefined) restrictions.quota = quota ?? undefined;
      return showRestrictions(state);
    },
    'PUT lists': async (context) => {
      const { lose } = await read(context, listsSchema);
      state.lists.lose(lose);
      return { lose };
    },
  };
}

const showClock = (clock: SkewedClock) => ({ now: new Date(clock.now()).toISOString(), skew: clock.skew });
const showRestrictions = ({ restrictions: { blocked, quota } }: ServerState) => ({
  blocked,
  quota: quota ?? null,
});

async function read<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const json: unknown = await context.req.json().catch(() => {
    throw new ControlError('the body is not JSON');
  });
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new ControlError(z.prettifyError(parsed.error));
  return parsed.data;
}

const maxPage = 10_000;

/** By `?offset=` and `?limit=`; the first 100 by default. */
function pageOf<T>(rows: readonly T[], context: Context): readonly T[] {
  const read = (name: string, fallback: number): number => {
    const value = Number(context.req.query(name) ?? fallback);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  const offset = read('offset', 0);
  return rows.slice(offset, offset + Math.min(read('limit', 100), maxPage));
}

export interface SkewedClock extends Clock {
  /** Milliseconds that `now()` is ahead, negative for behind; timers and durations are not affected. */
  skew: number;
}

export function createSkewedClock(base: Clock): SkewedClock {
  const clock: SkewedClock = {
    skew: 0,
    now: () => base.now() + clock.skew,
    monotonic: () => base.monotonic(),
    sleep: (ms, signal, options) => base.sleep(ms, signal, options),
    random: () => base.random(),
  };
  return clock;
}

function showUser(user: UserRow) {
  const { more } = user;
  return {
    id: user.id,
    orgId: user.orgId,
    kind: user.kind,
    userName: user.userName,
    status: user.status,
    created: new Date(user.created).toISOString(),
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    emailVerified: user.emailVerified,
    phone: more?.phone ?? '',
    language: user.language,
    /** `bcrypt`'s is `2a`; empty when there is no password. */
    hash: /^\$([\w-]+)\$/.exec(user.passwordHash)?.[1] ?? (user.passwordHash === '' ? '' : 'other'),
    otp: more?.otpSecret !== undefined,
    recoveryCodes: more?.recoveryCodes?.length ?? 0,
    passwordChangeRequired: more?.passwordChangeRequired ?? false,
    metadataKeys: Object.keys(more?.metadata ?? {}),
    links: (more?.links ?? []).map(({ idpId, externalUserId }) => ({ idpId, externalUserId })),
  };
}

/** Number of rows per table. */
function countState(store: Store) {
  const status: Record<string, number> = {};
  let humans = 0;
  let withPassword = 0;
  for (const user of store.users.values()) {
    if (user.kind !== 'human') continue;
    humans++;
    if (user.passwordHash !== '') withPassword++;
    status[user.status] = (status[user.status] ?? 0) + 1;
  }
  return {
    orgs: store.orgs.size,
    users: { human: humans, machine: store.users.size - humans, withPassword, status },
    notifications: countMessages(store),
    projects: store.projects.size,
    userGrants: store.userGrants.size,
    members: store.members.size,
    machineKeys: store.machineKeys.size,
    idps: store.idps.size,
    targets: store.targets.size,
    executions: store.executions.size,
  };
}
