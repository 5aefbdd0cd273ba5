/** Waits until the service's lists show what was written: they lag behind writes, by minutes under load. */
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatSeconds } from '../../lib/quantity.ts';
import type { ListDetails } from '../../wire/details.ts';

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
      emit({ type: 'notice', level: 'info', code: 'list:behind', text });
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

/** A list is at rest when it is as far as before so many times one after the other: under load it halts for seconds. */
const restPause = 2000;
const unchangedLooks = 5;

export interface ListLook {
  readonly isShown: boolean;
  /** Up to when the list shows what was written; undefined where it does not say. */
  readonly time: number | undefined;
}

/** Reads a list other than that of users until it shows what is sought, is at rest, or the time to wait is over. */
export async function waitUntilShown(
  context: ListContext,
  what: string,
  look: () => Promise<ListLook>,
): Promise<'shown' | 'at rest' | 'late'> {
  let before: number | undefined;
  for (let looks = 0, unchanged = 0; ; looks++) {
    const { isShown, time } = await look();
    if (isShown) return 'shown';
    unchanged = looks > 0 && time === before ? unchanged + 1 : 0;
    if (unchanged === unchangedLooks) return 'at rest';
    if (context.wait.left <= 0) return 'late';
    if (looks === 0) {
      const text = `The service's list of ${what} may be behind: waiting for it (--wait).`;
      context.emit({ type: 'notice', level: 'info', code: 'list:behind', text });
    }
    before = time;
    await pauseForList(context, restPause);
  }
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
