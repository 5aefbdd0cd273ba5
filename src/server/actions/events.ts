/**
 * Every change of the store in, a call to the targets of `user.human.added` for every new person
 * out, behind all answers.
 */
import type { ServerState } from '../context.ts';
import type { Change } from '../store/change.ts';
import type { UserRow } from '../store/rows.ts';
import { runErrand } from './execute.ts';
import type { Sender } from './execute.ts';
import { humanAdded } from './names.ts';
import { userAddedPayload } from './payload.ts';
import type { ActionsSetup } from './setup.ts';

/**
 * The service's queue of events: so many at once, each for ten seconds at most; what waited five minutes is dropped.
 */
const workers = 10;
const longestJob = 10_000;
const longestWait = 5 * 60_000;

export interface EventQueue {
  /** Hears of every change of the store; a new person becomes a `user.human.added`. */
  readonly onChange: (change: Change) => void;
  /** Nobody waits in it any more; what runs goes on. */
  readonly drop: () => void;
  /** As `drop`, and whoever comes next is new. */
  readonly reset: () => void;
}

export function createEventQueue(setup: ActionsSetup, sender: Sender, state: ServerState): EventQueue {
  let jobs: { user: UserRow; since: number }[] = [];
  /** Place of the next job: to shift a list of a million would cost as much as to copy it. */
  let next = 0;
  let running = 0;
  /** Who was there before is nobody new. */
  let lastOrder = state.store.users.roster().page(0, 1, true)[0]?.order ?? 0;

  const take = (): (typeof jobs)[number] | undefined => {
    const job = jobs[next++];
    if (job === undefined) drop();
    return job;
  };
  const drop = (): void => {
    jobs = [];
    next = 0;
  };

  const work = async (): Promise<void> => {
    for (let job = take(); job !== undefined; job = take()) {
      const { user, since } = job;
      if (sender.clock.now() - since > longestWait) continue;
      const found = setup.registry.match(`event/${humanAdded}`);
      if (found === undefined) continue;
      const targets = found.targets.map((target) => ({
        ...target,
        timeout: Math.min(target.timeout, longestJob),
      }));
      const payload = userAddedPayload(user, state.store.instance.instanceId);
      await runErrand(sender, {
        executionId: found.execution.id,
        trigger: humanAdded,
        targets,
        payload: () => payload,
      }).catch(() => {});
    }
    running--;
  };

  return {
    onChange({ table, row }) {
      const user = row as UserRow | undefined;
      if (table !== 'users' || user === undefined || user.order <= lastOrder) return;
      lastOrder = user.order;
      if (user.kind !== 'human' || setup.registry.match(`event/${humanAdded}`) === undefined) return;
      jobs.push({ user, since: sender.clock.now() });
      if (running >= workers) return;
      running++;
      state.background(work);
    },
    drop,
    reset() {
      drop();
      lastOrder = 0;
    },
  };
}
