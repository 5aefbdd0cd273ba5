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
  const jobs = new Set<{ user: UserRow; since: number }>();
  let running = 0;

  const work = async () => {
    // Each worker goes through the same set, which others shorten and lengthen meanwhile.
    for (const job of jobs) {
      jobs.delete(job);
      if (store.now() - job.since > longestWait) continue;
      const found = matchExecution(store, `event/${humanAdded}`);
      if (found === undefined) continue;
      const targets = found.targets.map((target) => ({
        ...target,
        timeoutMs: Math.min(target.timeoutMs, longestJob),
      }));
      const payload = () => userAddedPayload(job.user, store.instance.instanceId);
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
      jobs.add({ user, since: store.now() });
      if (running >= workers) return;
      running++;
      background(work);
    },
    /** Drops the waiting events. Running calls go on. */
    drop: () => jobs.clear(),
  };
}
