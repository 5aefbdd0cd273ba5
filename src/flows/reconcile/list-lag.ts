/** Waits until the service's lists show what was written. They lag behind writes, by minutes under load. */
import { callIfAllowed, type Client, search } from '../../api/client.ts';
import { note, type RunContext } from '../../events.ts';
import { formatSeconds } from '../../lib/format.ts';
import type { ListDetails } from '../../wire/details.ts';
import { readLastEvent } from './event-log.ts';
import { parseTime } from '../../lib/clock.ts';

export interface ListContext extends RunContext {
  readonly client: Client;
  readonly wait: ListWait;
}

/** How long a run may still wait for lists, in milliseconds. `--wait` limits all waits together. */
interface ListWait {
  left: number;
}

export interface ListLook {
  /** The list shows everything that is sought. */
  readonly isShown: boolean;
  /** Time up to which the list is current. Undefined if it does not say. */
  readonly time?: number | undefined;
}

interface LateList {
  /** Name for messages, such as `user grants`. */
  readonly name: string;
  readonly look: () => Promise<ListLook>;
  /**
   * Returns when the sought entries were last written, mostly from the event log, which does not lag. -Infinity for never,
   * undefined if the token may not read it. Called after the first look.
   */
  readonly written: () => Promise<number | undefined>;
  /** Returns a time at or before that, if `written` returns undefined. */
  readonly writtenBefore?: () => Promise<number | undefined>;
}

export interface ListEnd {
  /**
   * `shown`: the list shows what is sought. `complete`: it has everything that was written. `stable`: it has the last known write
   * and no longer changes. `late`: the wait is over. `unknown`: nothing says how current it has to be.
   */
  readonly state: 'shown' | 'complete' | 'stable' | 'late' | 'unknown';
  readonly time: number | undefined;
}

const firstPause = 500;
const longestPause = 5000;
/**
 * If the event log does not tell, a list with the last known write must also stay unchanged this many times in a row, because
 * later writes may still be on their way.
 */
const unchangedLooks = 5;

/** Reads a list until it shows what is sought, has everything that was written, or the wait is over. */
export async function waitUntil(
  context: ListContext,
  { name, look, written: readWritten, writtenBefore }: LateList,
): Promise<ListEnd> {
  const { emit, wait } = context;
  let before: number | undefined;
  let written: number | undefined;
  let atLeast: number | undefined;
  for (
    let looks = 0, unchanged = 0, pause = firstPause;
    ;
    looks++, pause = Math.min(2 * pause, longestPause)
  ) {
    const { isShown, time } = await look();
    if (isShown) return { state: 'shown', time };
    if (looks === 0) {
      written = await readWritten();
      if (written === undefined) atLeast = await writtenBefore?.();
    }
    unchanged = looks > 0 && time === before ? unchanged + 1 : 0;
    if (written === -Infinity || isAt(time, written)) return { state: 'complete', time };
    if (unchanged >= unchangedLooks) {
      if (isAt(time, atLeast)) return { state: 'stable', time };
      if (time === undefined || (written ?? atLeast) === undefined) return { state: 'unknown', time };
    }
    if (wait.left <= 0) return { state: 'late', time };
    if (looks === 0) {
      const most = `${formatSeconds(wait.left / 1000)}${written === undefined ? '' : ' (--wait)'}`;
      const text = `The service's list of ${name} may not have the latest changes yet: waiting for it, at most ${most}.`;
      emit(note('list:behind', text));
    }
    before = time;
    await pauseForList(context, pause);
  }
}

const isAt = (time: number | undefined, written: number | undefined) =>
  time !== undefined && written !== undefined && time >= written;

/**
 * Returns true once the list of users has everything written up to `until`, a time on the clock that stamps users. False if it
 * has not after the wait. Also true if the service does not say how current its list is.
 */
export async function waitForList(context: ListContext, until: number) {
  const look = async (): Promise<ListLook> => {
    const time = await readListTime(context.client);
    return { isShown: time === undefined, time };
  };
  const { state } = await waitUntil(context, { name: 'users', look, written: async () => until });
  return state !== 'late';
}

/** Waits for `longest` milliseconds, or as long as the run may still wait for lists if that is shorter. */
export async function pauseForList({ clock, emit, signal, wait }: ListContext, longest: number) {
  const ms = Math.min(longest, wait.left);
  wait.left -= ms;
  emit({ type: 'run:waiting', reason: 'list-behind', seconds: ms / 1000 });
  await clock.sleep(ms, signal);
}

/** Looks again and again while the service is working, until `isOver`. */
export async function lookWhileBusy<Seen>(
  { clock, emit, signal }: RunContext,
  seconds: number,
  look: () => Promise<Seen>,
  isOver: (seen: Seen) => boolean,
) {
  for (;;) {
    const seen = await look();
    if (isOver(seen)) return seen;
    emit({ type: 'run:waiting', reason: 'service-busy', seconds });
    await clock.sleep(seconds * 1000, signal);
  }
}

/** Lists other than that of users, with the events that change them. */
const eventTypes = {
  metadata: ['user.metadata.set', 'user.metadata.removed', 'user.metadata.removed.all'],
  links: [
    'user.human.externalidp.added',
    'user.human.externalidp.removed',
    'user.human.externalidp.cascade.removed',
  ],
  'user grants': [
    'user.grant.added',
    'user.grant.changed',
    'user.grant.cascade.changed',
    'user.grant.removed',
    'user.grant.cascade.removed',
  ],
} as const;

/** Returns when such a list was last written to, for one user or at all. -Infinity for never, undefined without permission. */
export async function readLastWritten(client: Client, list: keyof typeof eventTypes, userId?: string) {
  return readLastEvent(client, { eventTypes: [...eventTypes[list]], aggregateId: userId });
}

/** Reads such a list, of one user or as a whole, until it shows what is sought, has everything written, or the wait is over. */
export const waitForEntries = (
  context: ListContext,
  name: keyof typeof eventTypes,
  look: LateList['look'],
  userId?: string,
) => waitUntil(context, { name, look, written: () => readLastWritten(context.client, name, userId) });

/** Returns the time up to which a list is current, from its `details`. */
export const listTimeOf = (details: ListDetails | undefined) =>
  parseTime(details?.timestamp || details?.viewTimestamp || '');

/** Says up to when a list is current, with a space before. Empty if that is not known. */
export const asOf = (time: number | undefined) =>
  time === undefined ? '' : ` as of ${new Date(time).toISOString()}`;

/** Returns the time of the last write that the list of users shows. Undefined if the service does not say. */
export async function readListTime(client: Client) {
  const parse = (value: unknown) => listTimeOf((value as { readonly details?: ListDetails }).details);
  return callIfAllowed(client, search('/v2/users', { query: { limit: 1 } }, { parse }));
}
