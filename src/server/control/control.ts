/** The control interface under `/_idport/`: what tests see and do that no client of the service can. */
import { timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SentCall } from '../actions/execute.ts';
import type { ServerState } from '../context.ts';
import { faultSchema, type Faults } from '../limits/faults.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import { controlPrefix, type LoggedRequest } from '../limits/gate.ts';
import type { Restrictions } from '../limits/hooks.ts';
import type { Recent } from '../recent.ts';
import { usersOf } from '../store/store.ts';
import { countMessages } from '../users/notifications.ts';
import { showUser, countState } from './show.ts';

/** Without a token: a client asks for it before its first call, to know the limits. */
export const profilePath = `${controlPrefix}profile`;

export interface Control {
  readonly token: string;
  readonly clock: SkewedClock;
  readonly faults: Faults;
  readonly calls: Recent<SentCall>;
  readonly requests: Recent<LoggedRequest>;
  readonly logLines: Recent<string>;
  readonly restrictions: Restrictions;
  readonly reset: () => Promise<void>;
  /** Takes an import body; gives the answer of the import. */
  readonly seed: (body: unknown) => Promise<unknown>;
  /** Told without a token, with the rate that holds; absent: not told. */
  readonly profile: TargetProfile | undefined;
  /** Name of the profile, brand and rate, as `state` shows them. */
  readonly about: Readonly<Record<string, unknown>>;
}

const restrictionsSchema = z.strictObject({
  blocked: z.boolean().optional(),
  /** Calls that are left; null for no quota. */
  quota: z.int().min(0).nullable().optional(),
});
const listsSchema = z.strictObject({ lose: z.int().min(0) });
const clockSchema = z.union([
  z.strictObject({ skew: z.int() }),
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
]);

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
  mountViews(app, state, control);
  mountSwitches(app, control);
  app.put(`${controlPrefix}lists`, (context) =>
    withBody(context, listsSchema, ({ lose }) => {
      state.lists.lose(lose);
      return context.json({ lose });
    }),
  );
  app.all(`${controlPrefix}*`, (context) =>
    context.json({ error: `there is no ${context.req.method} ${context.req.path}` }, 404),
  );
}

function mountViews(app: Hono, state: ServerState, control: Control): void {
  const { store } = state;
  app.get(`${controlPrefix}state`, (context) =>
    context.json({
      ...control.about,
      ...countState(store),
      calls: control.calls.total,
      requests: control.requests.total,
      clock: showClock(control.clock),
      restrictions: showRestrictions(control.restrictions),
    }),
  );
  app.get(`${controlPrefix}users`, (context) => {
    const { offset, limit } = readPage(context);
    const users = usersOf(store, context.req.query('org'));
    return context.json({ total: users.length, users: users.slice(offset, offset + limit).map(showUser) });
  });
  app.get(`${controlPrefix}users/:id`, (context) => {
    const user = store.users.get(context.req.param('id'));
    return user === undefined ? context.json({ error: 'no such user' }, 404) : context.json(showUser(user));
  });
  app.get(`${controlPrefix}notifications`, (context) => {
    const notifications = pageOf([...store.notifications.values()], context);
    return context.json({ total: countMessages(store), notifications });
  });
  const { calls, requests, logLines: lines } = control;
  for (const [path, recent] of Object.entries({ calls, requests, lines })) {
    app.get(`${controlPrefix}${path === 'lines' ? 'log' : path}`, (context) =>
      context.json({ total: recent.total, [path]: pageOf<unknown>(recent.list(), context) }),
    );
  }
}

function mountSwitches(app: Hono, control: Control): void {
  const { faults, restrictions, clock } = control;
  app.post(`${controlPrefix}reset`, async (context) => {
    await control.reset();
    return context.json({});
  });
  app.post(`${controlPrefix}seed`, (context) =>
    withBody(context, z.unknown(), async (body) => {
      try {
        return context.json((await control.seed(body)) as object);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        return context.json({ error: error.message }, 400);
      }
    }),
  );
  app.get(`${controlPrefix}faults`, (context) => context.json({ faults: faults.list() }));
  app.post(`${controlPrefix}faults`, (context) =>
    withBody(context, faultSchema, (fault) => context.json(faults.add(fault), 201)),
  );
  app.delete(`${controlPrefix}faults`, (context) => {
    faults.clear();
    return context.json({});
  });
  app.delete(`${controlPrefix}faults/:id`, (context) => {
    const found = faults.remove(Number(context.req.param('id')));
    return found ? context.json({}) : context.json({ error: 'no such fault' }, 404);
  });
  app.get(`${controlPrefix}clock`, (context) => context.json(showClock(clock)));
  app.put(`${controlPrefix}clock`, (context) =>
    withBody(context, clockSchema, (requested) => {
      const now = clock.now() - clock.skew;
      clock.skew = 'skew' in requested ? requested.skew : Date.parse(requested.now) - now;
      return context.json(showClock(clock));
    }),
  );
  app.get(`${controlPrefix}restrictions`, (context) => context.json(showRestrictions(restrictions)));
  app.put(`${controlPrefix}restrictions`, (context) =>
    withBody(context, restrictionsSchema, ({ blocked, quota }) => {
      restrictions.blocked = blocked ?? restrictions.blocked;
      if (quota !== undefined) restrictions.quota = quota ?? undefined;
      return context.json(showRestrictions(restrictions));
    }),
  );
}

const showClock = (clock: SkewedClock) => ({ now: new Date(clock.now()).toISOString(), skew: clock.skew });
const showRestrictions = ({ blocked, quota }: Restrictions) => ({ blocked, quota: quota ?? null });

async function withBody<S extends z.ZodType>(
  context: Context,
  schema: S,
  use: (body: z.output<S>) => Response | Promise<Response>,
): Promise<Response> {
  let json: unknown;
  try {
    json = await context.req.json();
  } catch {
    return context.json({ error: 'the body is not JSON' }, 400);
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? use(parsed.data) : context.json({ error: z.prettifyError(parsed.error) }, 400);
}

const maxPage = 10_000;

/** `?offset=` and `?limit=`; 100 from the start when nothing is said. */
function readPage(context: Context): { offset: number; limit: number } {
  const read = (name: string, fallback: number): number => {
    const value = Number(context.req.query(name) ?? fallback);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  return { offset: read('offset', 0), limit: Math.min(read('limit', 100), maxPage) };
}

function pageOf<T>(rows: readonly T[], context: Context): readonly T[] {
  const { offset, limit } = readPage(context);
  return rows.slice(offset, offset + limit);
}

export interface SkewedClock extends Clock {
  /** Milliseconds that `now()` is ahead; negative for behind. Waiting and measuring are not touched. */
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
