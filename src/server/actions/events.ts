/** Calls the targets of `user.human.added` for every new user, in the background. */
import type { UserRow } from '../store/rows.ts';
import type { Change } from '../store/table.ts';
import type { ServerState } from '../method.ts';
import { callTargets, matchExecution } from './execute.ts';
import { humanAdded } from './names.ts';
import { userAddedPayload } from './payload.ts';

/** Limits of the service: 10 concurrent calls, 10 seconds per call. Events that have waited for 5 minutes are dropped. */
const workers = 10;
const longestJob = 10_000;
const longestWait = 5 * 60_000;

export function createEventQueue(state: ServerState) {
  const { store, background } = state;
  let jobs: { user: UserRow; since: number }[] = [];
  /** Index of the next job. Shifting a list of a million would copy it. */
  let next = 0;
  let running = 0;

  const take = () => {
    const job = jobs[next++];
    if (job === undefined) drop();
    return job;
  };
  const drop = () => {
    jobs = [];
    next = 0;
  };

  const work = async () => {
    for (let job = take(); job !== undefined; job = take()) {
      const { user, since } = job;
      if (store.now() - since > longestWait) continue;
      const found = matchExecution(store, `event/${humanAdded}`);
      if (found === undefined) continue;
      const targets = found.targets.map((target) => ({
        ...target,
        timeoutMs: Math.min(target.timeoutMs, longestJob),
      }));
      const payload = () => userAddedPayload(user, store.instance.instanceId);
      await callTargets(state, { ...found, trigger: humanAdded, targets, payload }).catch(() => {});
    }
    running--;
  };

  return {
    /** Receives every change of the store. A new human user is a `user.human.added` event. */
    onChange({ table, row, before }: Change) {
      const user = row as UserRow | undefined;
      if (table !== 'users' || user === undefined || before !== undefined) return;
      if (user.kind !== 'human' || matchExecution(store, `event/${humanAdded}`) === undefined) return;
      jobs.push({ user, since: store.now() });
      if (running >= workers) return;
      running++;
      background(work);
    },
    /** Drops the waiting events. Running calls go on. */
    drop,
  };
}
