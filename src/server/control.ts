/** The control interface under `/_idport/`. It lets tests see and do what no client of the service can. */
import { timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { type Core, reset, seed, type SkewedClock } from './core.ts';
import { faultSchema } from './limits/faults.ts';
import { controlPrefix } from './limits/gate.ts';
import { usersOf, type Store } from './store/store.ts';
import type { UserRow } from './store/rows.ts';

/** Needs no token: a client requests it before its first call, to learn the limits. */
const profilePath = `${controlPrefix}profile`;

const restrictionsSchema = z.strictObject({
  blocked: z.boolean().optional(),
  /** Number of calls that are still allowed. Null for no quota. */
  quota: z.int().min(0).nullable().optional(),
});
const listsSchema = z.strictObject({ lose: z.int().min(0) });
/** A thousand years in milliseconds. The service writes years of four digits. */
const longestSkew = 31_556_952_000_000;
const clockSchema = z.union([
  z.strictObject({ skew: z.int() }),
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
]);

function missing(context: Context, what: string) {
  context.status(404);
  return { error: `no such ${what}` };
}

export function mountControl(app: Hono, core: Core, token: string) {
  const { options, limit, state } = core;
  const { profile } = state.settings;
  if (options.tellProfile) app.get(profilePath, (context) => context.json({ ...profile, rate: limit }));
  const expected = Buffer.from(`Bearer ${token}`);
  app.use(`${controlPrefix}*`, async (context, next) => {
    const given = Buffer.from(context.req.header('authorization') ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return context.json({ error: 'the control token is missing or another one' }, 401);
    }
    return next();
  });
  const table = { ...views(core), ...switches(core) };
  for (const [route, answer] of Object.entries(table)) {
    const [verb = '', path = ''] = route.split(' ');
    app.on(verb, controlPrefix + path, async (context) => {
      try {
        return context.json((await answer(context)) ?? {});
      } catch (error) {
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

function views({ state, clock, faults, limit }: Core): Routes {
  const { store, settings, recent } = state;
  const shown = (name: keyof typeof recent) => (context: Context) => ({
    total: recent[name].total,
    [name]: pageOf(recent[name].list(), context),
  });
  return {
    'GET state': () => ({
      profile: settings.profile.name,
      brand: settings.brand,
      rate: limit?.perSecond ?? null,
      ...countState(store),
      notifications: recent.notifications.total,
      calls: recent.calls.total,
      requests: recent.requests.total,
      clock: showClock(clock),
      restrictions: state.restrictions,
    }),
    'GET users': (context) => {
      const users = usersOf(store, context.req.query('org'));
      return { total: users.length, users: pageOf(users, context).map(showUser) };
    },
    'GET users/:id': (context) => {
      const user = store.users.get(context.req.param('id') ?? '');
      return user === undefined ? missing(context, 'user') : showUser(user);
    },
    'GET notifications': shown('notifications'),
    'GET calls': shown('calls'),
    'GET requests': shown('requests'),
    'GET log': shown('lines'),
    'GET faults': () => ({ faults: faults.list() }),
  };
}

function switches(core: Core): Routes {
  const { state, faults, clock } = core;
  return {
    'POST reset': () => reset(core),
    'POST seed': async (context) => seed(core, await read(context, z.unknown())),
    'POST faults': async (context) => {
      const fault = await read(context, faultSchema);
      context.status(201);
      return faults.add(fault);
    },
    'DELETE faults': () => faults.clear(),
    'DELETE faults/:id': (context) =>
      faults.remove(Number(context.req.param('id'))) ? undefined : missing(context, 'fault'),
    'PUT clock': async (context) => {
      const requested = await read(context, clockSchema);
      const now = clock.now() - clock.skew;
      const skew = 'skew' in requested ? requested.skew : Date.parse(requested.now) - now;
      if (Math.abs(skew) > longestSkew) throw new UsageError('the clock moves by a thousand years at most');
      clock.skew = skew;
      return showClock(clock);
    },
    'PUT restrictions': async (context) =>
      Object.assign(state.restrictions, await read(context, restrictionsSchema)),
    'PUT lists': async (context) => {
      const { lose } = await read(context, listsSchema);
      state.lists.lose(lose);
      return { lose };
    },
  };
}

const showClock = (clock: SkewedClock) => ({ now: new Date(clock.now()).toISOString(), skew: clock.skew });
async function read<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const json: unknown = await context.req.json().catch(() => {
    throw new UsageError('the body is not JSON');
  });
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new UsageError(z.prettifyError(parsed.error));
  return parsed.data;
}

const maxPage = 10_000;

/** Returns the page at `?offset=` and `?limit=`, by default the first 100 rows. */
function pageOf<T>(rows: readonly T[], context: Context) {
  const read = (name: string, fallback: number) => {
    const value = Number(context.req.query(name) ?? fallback);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  const offset = read('offset', 0);
  return rows.slice(offset, offset + Math.min(read('limit', 100), maxPage));
}

function showUser(user: UserRow) {
  const { id, orgId, kind, userName, status, firstName, lastName, email, emailVerified, language } = user;
  const { passwordHash, phone = '', otpSecret, passwordChangeRequired = false } = user;
  const { recoveryCodes = [], metadata = {}, links = [] } = user;
  return {
    id,
    orgId,
    kind,
    userName,
    status,
    created: new Date(user.created).toISOString(),
    firstName,
    lastName,
    email,
    emailVerified,
    phone,
    language,
    /** Identifier of the hash's algorithm, such as `2a` for bcrypt. Empty without a password. */
    hash: /^\$([\w-]+)\$/.exec(passwordHash)?.[1] ?? (passwordHash === '' ? '' : 'other'),
    otp: otpSecret !== undefined,
    recoveryCodes: recoveryCodes.length,
    passwordChangeRequired,
    metadataKeys: Object.keys(metadata),
    links: links.map(({ idpId, externalUserId }) => ({ idpId, externalUserId })),
  };
}

const countedTables = [
  'orgs',
  'projects',
  'userGrants',
  'members',
  'machineKeys',
  'idps',
  'targets',
  'executions',
] as const;

/** Counts the rows of each table. */
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
    users: { human: humans, machine: store.users.size - humans, withPassword, status },
    ...Object.fromEntries(countedTables.map((table) => [table, store[table].size])),
  };
}
