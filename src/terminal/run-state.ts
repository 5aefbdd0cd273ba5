/** What the events so far say of a run. */
import type { EntryProgress, IdportEvent, WaitReason } from '../events.ts';
import type { Clock } from '../lib/clock.ts';

export interface WrittenFile {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
}

export interface RunState {
  readonly verb: string;
  /** That the run was given. */
  readonly flags: readonly string[];
  readonly bytesTotal: number | undefined;
  readonly recordsTotal: number | undefined;
  /** Records a second that the limit of requests allows, where there is one. */
  readonly perSecond: number | undefined;
  /** On the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  readonly bytes: number;
  readonly records: number;
  /** Of the records: no work of this run. */
  readonly before: number;
  /** Of a bulk import, once a request has been answered. */
  readonly entries: EntryProgress | undefined;
  /** What was done when, of the last seconds: the first is the oldest. */
  readonly samples: readonly Sample[];
  readonly rejected: number;
  readonly waiting: Wait | undefined;
  /** When there was the last progress, on the monotonic clock. */
  readonly movedAt: number;
  readonly files: readonly WrittenFile[];
  readonly forecast: Forecast | undefined;
}

/** A pause, or several for one reason; on the monotonic clock. */
export interface Wait {
  readonly reason: WaitReason;
  readonly since: number;
  /** As announced. */
  readonly until: number;
}

/** An event, or that some time has passed without one. */
export type Shown = IdportEvent | { readonly type: 'tick' };

/** What shows a run: `state` is the one after the event, `now` the monotonic clock. */
export type Listener = (event: Shown, state: RunState, now: number) => void;

/** Keeps the state for a listener. */
export function withState(listener: Listener, clock: Pick<Clock, 'monotonic'>): (event: Shown) => void {
  let state = idle(clock.monotonic());
  return (event) => {
    const now = clock.monotonic();
    state = follow(state, event, now);
    listener(event, state, now);
  };
}

/** This run's work, until a moment on the monotonic clock. */
export interface Sample extends Work {
  readonly at: number;
}

interface Work {
  readonly bytes: number;
  readonly records: number;
  readonly entries: number;
}

/** Rates are those of so many milliseconds, by the clock. */
const windowMs = 30_000;
/** More samples than one in so many milliseconds say no more. */
const betweenSamplesMs = 500;

export type Forecast = Extract<IdportEvent, { type: 'forecast' }>;

export function idle(now: number): RunState {
  return {
    verb: '',
    flags: [],
    bytesTotal: undefined,
    recordsTotal: undefined,
    perSecond: undefined,
    startedAt: now,
    bytes: 0,
    records: 0,
    before: 0,
    entries: undefined,
    samples: [{ at: now, bytes: 0, records: 0, entries: 0 }],
    rejected: 0,
    waiting: undefined,
    movedAt: now,
    files: [],
    forecast: undefined,
  };
}

/** The state after an event; `now` is the monotonic clock. */
export function follow(state: RunState, event: Shown, now: number): RunState {
  switch (event.type) {
    case 'run:start':
      return {
        ...idle(now),
        verb: event.verb,
        flags: event.flags ?? [],
        bytesTotal: event.bytes,
        recordsTotal: event.records,
        perSecond: event.perSecond,
      };
    case 'run:progress':
      return followProgress(state, event, now);
    case 'run:waiting':
      return { ...state, waiting: followWait(state.waiting, event, now) };
    case 'record:rejected':
      return { ...state, rejected: state.rejected + 1 };
    case 'file:written':
      return { ...state, files: [...state.files, event] };
    case 'forecast':
      return { ...state, forecast: event };
    default:
      return state;
  }
}

function followWait(
  before: Wait | undefined,
  { reason, seconds }: Extract<IdportEvent, { type: 'run:waiting' }>,
  now: number,
): Wait {
  const since = before?.reason === reason ? before.since : now;
  return { reason, since, until: now + seconds * 1000 };
}

/** While the service refuses all requests, answers to earlier ones still come in. */
function isStillWaiting(wait: Wait | undefined, now: number): boolean {
  return wait?.reason === 'rate-limit' && now < wait.until;
}

function followProgress(
  state: RunState,
  { bytes, records, before = 0, entries }: Extract<IdportEvent, { type: 'run:progress' }>,
  now: number,
): RunState {
  const samples = inWindow(state.samples, now);
  const isDue = now - (samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= betweenSamplesMs;
  const next = { ...state, bytes, records, before, entries };
  return {
    ...next,
    samples: isDue ? [...samples, { at: now, ...ownWork(next) }] : samples,
    waiting: isStillWaiting(state.waiting, now) ? state.waiting : undefined,
    movedAt: now,
  };
}

function ownWork({ bytes, records, before, entries }: RunState): Work {
  return {
    bytes,
    records: records - before,
    entries: entries === undefined ? 0 : entries.done - entries.before,
  };
}

/** Without those that are older than the one at which the window begins. */
function inWindow(samples: readonly Sample[], end: number): readonly Sample[] {
  const first = samples.findLastIndex(({ at }) => end - at >= windowMs);
  return first <= 0 ? samples : samples.slice(first);
}

export interface Rates extends Work {
  /** Over which they were measured. */
  readonly seconds: number;
  /** For which the request that is under way has gone on, and no longer than it should take. */
  readonly unseenSeconds: number;
}

const standstill: Rates = { seconds: 0, unseenSeconds: 0, bytes: 0, records: 0, entries: 0 };

/** What the run does in a second, over the half minute before the last progress; a pause counts as time. */
export function measureRates(state: RunState, now: number): Rates {
  const { movedAt } = state;
  const [first = { at: movedAt, ...standstill }] = inWindow(state.samples, movedAt);
  const work = ownWork(state);
  const seconds = (movedAt - first.at) / 1000;
  const done = work.entries - first.entries;
  const expected = done > 0 ? ((state.entries?.underWay ?? 0) * seconds) / done : 0;
  const quiet = (now - movedAt) / 1000;
  if (quiet >= Math.max(windowMs / 1000, 2 * expected)) return standstill;
  const unseenSeconds = Math.min(quiet, expected);
  const time = seconds + quiet - unseenSeconds;
  if (time <= 0) return standstill;
  return {
    seconds: time,
    unseenSeconds,
    bytes: Math.max(0, work.bytes - first.bytes) / time,
    records: Math.max(0, work.records - first.records) / time,
    entries: Math.max(0, work.entries - first.entries) / time,
  };
}
