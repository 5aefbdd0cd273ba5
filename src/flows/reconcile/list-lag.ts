/** Waits until the service's lists show what was written: they lag behind writes, by minutes under load. */
import type { Client } from '../../api/client.ts';
import { type Emit, note } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatSeconds } from '../../lib/quantity.ts';
import type { ListDetails } from '../../wire/details.ts';
import { readLastEvent } from './event-log.ts';

export interface ListContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly wait: ListWait;
}

/** How long a run may still wait for lists, in milliseconds; `--wait` is for all of them together. */
export interface ListWait {
  left: number;
}

const defaultWait = 10 * 60_000;

export const createWait = (ms = defaultWait): ListWait => ({ left: ms });

const firstPause = 500;
const longestPause = 5000;

/**
 * True once the list of users has everything that was written until `until`, a time on the clock that stamps users;
 * false where it has not after the wait. Also true where the service does not say how far its list is.
 */
export async function waitForList(context: ListContext, until: number): Promise<boolean> {
  const { client, emit, wait } = context;
  let pause = firstPause;
  for (;;) {
    const time = await readListTime(client);
    if (time === undefined || time >= until) return true;
    if (wait.left <= 0) return false;
    if (pause === firstPause) {
      const behind = formatSeconds((until - time) / 1000);
      const text = `The service's list of users is ${behind} behind: waiting for it, at most ${formatSeconds(wait.left / 1000)} (--wait).`;
      emit(note('list:behind', text));
    }
    await pauseForList(context, pause);
    pause = Math.min(2 * pause, longestPause);
  }
}

/** Waits for so long, at most as long as the run may still wait for lists. */
export async function pauseForList(
  { clock, emit, signal, wait }: ListContext,
  longest: number,
): Promise<void> {
  const ms = Math.min(longest, wait.left);
  wait.left -= ms;
  emit({ type: 'run:waiting', reason: 'list-behind', seconds: ms / 1000 });
  await clock.sleep(ms, signal);
}

/**
 * Where the log of events does not tell, a list that has the last write that is known must also be as far as before so many
 * times one after the other: later writes may be on their way.
 */
const restPause = 2000;
const unchangedLooks = 5;

export interface ListLook {
  readonly isShown: boolean;
  /** Up to when the list shows what was written; undefined where it does not say. */
  readonly time: number | undefined;
}

/** What a list other than that of users shows of a user. */
export type DetailList = 'metadata' | 'links';

export interface ListSought {
  readonly list: DetailList;
  readonly userId: string;
  /** A time at or before the last write of what is sought, where the token may not read events; undefined for none. */
  readonly lastWrite?: () => Promise<number | undefined>;
}

export interface ListEnd {
  /**
   * `complete`: everything that was written is in the list. `still`: the last write that is known is, and the list stands
   * still. `late`: not in time. `unknown`: nothing says how far it has to come.
   */
  readonly state: 'shown' | 'complete' | 'still' | 'late' | 'unknown';
  readonly time: number | undefined;
}

/**
 * Reads such a list of a user until it shows what is sought, has everything that was written of the user, or the time to
 * wait is over.
 */
export async function waitUntilShown(
  context: ListContext,
  { list, userId, lastWrite }: ListSought,
  look: () => Promise<ListLook>,
): Promise<ListEnd> {
  let before: number | undefined;
  let written: number | undefined;
  let atLeast: number | undefined;
  for (let looks = 0, unchanged = 0; ; looks++) {
    const { isShown, time } = await look();
    if (isShown) return { state: 'shown', time };
    if (looks === 0) {
      written = await readLastWritten(context.client, list, userId);
      if (written === undefined) atLeast = await lastWrite?.();
    }
    unchanged = looks > 0 && time === before ? unchanged + 1 : 0;
    if (written === -Infinity || isAt(time, written)) return { state: 'complete', time };
    if (unchanged >= unchangedLooks) {
      if (isAt(time, atLeast)) return { state: 'still', time };
      if (time === undefined || (written ?? atLeast) === undefined) return { state: 'unknown', time };
    }
    if (context.wait.left <= 0) return { state: 'late', time };
    if (looks === 0) {
      const text = `The service's list of ${list} may be behind: waiting for it (--wait).`;
      context.emit(note('list:behind', text));
    }
    before = time;
    await pauseForList(context, restPause);
  }
}

const isAt = (time: number | undefined, written: number | undefined): boolean =>
  time !== undefined && written !== undefined && time >= written;

const eventTypes: Readonly<Record<DetailList, string[]>> = {
  metadata: ['user.metadata.set', 'user.metadata.removed', 'user.metadata.removed.all'],
  links: [
    'user.human.externalidp.added',
    'user.human.externalidp.removed',
    'user.human.externalidp.cascade.removed',
  ],
};

/**
 * When metadata or links of a user were last written, by the log of events, which does not lag: -Infinity for never,
 * undefined where the token may not read it.
 */
async function readLastWritten(
  client: Client,
  list: DetailList,
  userId: string,
): Promise<number | undefined> {
  return readLastEvent(client, { aggregateId: userId, eventTypes: eventTypes[list] });
}

const grantEvents = [
  'user.grant.added',
  'user.grant.changed',
  'user.grant.cascade.changed',
  'user.grant.removed',
  'user.grant.cascade.removed',
];

/** When roles were last given or taken; as above. */
export async function readLastGranted(client: Client): Promise<number | undefined> {
  return readLastEvent(client, { eventTypes: grantEvents });
}

/** How far a list is by its `details`. */
export function listTimeOf(details: ListDetails | undefined): number | undefined {
  const time = Date.parse(details?.timestamp || details?.viewTimestamp || '');
  return Number.isNaN(time) ? undefined : time;
}

/** The time of the last write that the list of users shows; undefined where the service does not say. */
export async function readListTime(client: Client): Promise<number | undefined> {
  const end = await client.attempt<number | undefined>({
    method: 'POST',
    path: '/v2/users',
    body: { query: { limit: 1 } },
    repeat: 'safe',
    answer: { parse: timeOf },
  });
  if (end.ok) return end.value;
  if (end.error.verdict === 'refused') return undefined;
  throw end.error;
}

interface ListAnswer {
  readonly details?: { readonly timestamp?: string };
}

function timeOf(value: unknown): number | undefined {
  const time = Date.parse((value as ListAnswer).details?.timestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}
