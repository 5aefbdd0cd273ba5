/** The state of a run, computed from its events. */
import type { EntryProgress, EventOf, IdportEvent, WaitReason } from '../events.ts';
import type { Clock } from '../lib/clock.ts';

export interface WrittenFile {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
}

export type RunState = Readonly<ReturnType<typeof idle>>;

/** One or more pauses for one reason. Times are on the monotonic clock. */
export interface Wait {
  readonly reason: WaitReason;
  readonly since: number;
  /** End of the wait as announced. */
  readonly until: number;
}

/** An event, or a tick of the clock. */
export type Shown = IdportEvent | { readonly type: 'tick' };

/** Shows a run. `state` is the state after the event, `now` the monotonic clock. */
export type Listener = (event: Shown, state: RunState, now: number) => void;

/** Keeps the state for a listener. */
export function withState(listener: Listener, clock: Clock): (event: Shown) => void {
  let state = idle(clock.monotonic());
  return (event) => {
    const now = clock.monotonic();
    state = nextState(state, event, now);
    listener(event, state, now);
  };
}

/** Work of this run up to a time on the monotonic clock. */
interface Sample extends Work {
  readonly at: number;
}

/** Rates are measured over this time. */
const windowMs = 30_000;
/** Samples are taken at most this often. */
const betweenSamplesMs = 500;

/** The state before the first event. */
export function idle(now: number) {
  return {
    verb: '',
    flags: [] as readonly string[],
    /** Command as it was typed. */
    command: '',
    bytesTotal: undefined as number | undefined,
    recordsTotal: undefined as number | undefined,
    /** Records per second that the rate limit allows. Undefined without a limit. */
    perSecond: undefined as number | undefined,
    /** Milliseconds on the monotonic clock. */
    startedAt: now,
    bytes: 0,
    records: 0,
    /** Records that took no work in this run. */
    before: 0,
    /** Entries of a bulk import, once a request has been answered. */
    entries: undefined as EntryProgress | undefined,
    /** Work done over the last seconds, oldest first. */
    samples: [{ at: now, bytes: 0, records: 0, entries: 0 }] as readonly Sample[],
    rejected: 0,
    waiting: undefined as Wait | undefined,
    /** Time of the last progress, on the monotonic clock. */
    movedAt: now,
    files: [] as readonly WrittenFile[],
    forecast: undefined as EventOf<'forecast'> | undefined,
  };
}

/** Returns the state after an event. `now` is the monotonic clock. */
export function nextState(state: RunState, event: Shown, now: number) {
  switch (event.type) {
    case 'run:start': {
      const { verb, flags = [], command = '', bytes: bytesTotal, records: recordsTotal, perSecond } = event;
      return { ...idle(now), verb, flags, command, bytesTotal, recordsTotal, perSecond };
    }
    case 'run:progress':
      return followProgress(state, event, now);
    case 'run:waiting': {
      const { reason, seconds } = event;
      const since = state.waiting?.reason === reason ? state.waiting.since : now;
      return { ...state, waiting: { reason, since, until: now + seconds * 1000 } };
    }
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

function followProgress(
  state: RunState,
  { bytes, records, before = 0, entries }: EventOf<'run:progress'>,
  now: number,
): RunState {
  const samples = inWindow(state.samples, now);
  const isDue = now - (samples.at(-1)?.at ?? -Infinity) >= betweenSamplesMs;
  const next = { ...state, bytes, records, before, entries };
  // Answers to earlier requests still arrive while the service refuses new ones.
  const isWaiting = state.waiting?.reason === 'rate-limit' && now < state.waiting.until;
  return {
    ...next,
    samples: isDue ? [...samples, { at: now, ...ownWork(next) }] : samples,
    waiting: isWaiting ? state.waiting : undefined,
    movedAt: now,
  };
}

interface Work {
  readonly bytes: number;
  readonly records: number;
  readonly entries: number;
}

function ownWork({ bytes, records, before, entries }: RunState): Work {
  return {
    bytes,
    records: records - before,
    entries: entries === undefined ? 0 : entries.done - entries.before,
  };
}

/** Drops samples from before the window. */
function inWindow(samples: readonly Sample[], end: number) {
  const first = samples.findLastIndex(({ at }) => end - at >= windowMs);
  return first <= 0 ? samples : samples.slice(first);
}

/** Work per second. */
export interface Rates extends Work {
  /** Time over which the rates were measured. */
  readonly seconds: number;
  /** Age of the current request, but at most the time that it should take. */
  readonly unseenSeconds: number;
}

const noRates: Rates = { seconds: 0, unseenSeconds: 0, bytes: 0, records: 0, entries: 0 };

/** Returns the work per second over the half minute before the last progress, pauses included. */
export function measureRates(state: RunState, now: number) {
  const { movedAt } = state;
  const [first = { at: movedAt, ...noRates }] = inWindow(state.samples, movedAt);
  const work = ownWork(state);
  const seconds = (movedAt - first.at) / 1000;
  const done = work.entries - first.entries;
  const expected = done > 0 ? ((state.entries?.underWay ?? 0) * seconds) / done : 0;
  const quiet = (now - movedAt) / 1000;
  if (quiet >= Math.max(windowMs / 1000, 2 * expected)) return noRates;
  const unseenSeconds = Math.min(quiet, expected);
  const time = seconds + quiet - unseenSeconds;
  if (time <= 0) return noRates;
  return {
    seconds: time,
    unseenSeconds,
    bytes: Math.max(0, work.bytes - first.bytes) / time,
    records: Math.max(0, work.records - first.records) / time,
    entries: Math.max(0, work.entries - first.entries) / time,
  };
}
