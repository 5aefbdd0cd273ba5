/** What the events so far say of a run. */
import type { IdportEvent, WaitReason } from '../events.ts';

export interface WrittenFile {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
}

export interface RunState {
  readonly verb: string;
  readonly inputs: readonly string[];
  readonly bytesTotal: number | undefined;
  readonly recordsTotal: number | undefined;
  /** On the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  readonly bytes: number;
  readonly records: number;
  readonly rejected: number;
  readonly waiting: { readonly reason: WaitReason; readonly seconds: number } | undefined;
  readonly files: readonly WrittenFile[];
  readonly forecast: Forecast | undefined;
}

export type Forecast = Extract<IdportEvent, { type: 'forecast' }>;

export function idle(now: number): RunState {
  return {
    verb: '',
    inputs: [],
    bytesTotal: undefined,
    recordsTotal: undefined,
    startedAt: now,
    bytes: 0,
    records: 0,
    rejected: 0,
    waiting: undefined,
    files: [],
    forecast: undefined,
  };
}

/** The state after an event; `now` is the monotonic clock. */
export function follow(state: RunState, event: IdportEvent, now: number): RunState {
  switch (event.type) {
    case 'run:start':
      return {
        ...idle(now),
        verb: event.verb,
        inputs: event.inputs,
        bytesTotal: event.bytes,
        recordsTotal: event.records,
      };
    case 'run:progress':
      return { ...state, bytes: event.bytes, records: event.records, waiting: undefined };
    case 'run:waiting':
      return { ...state, waiting: { reason: event.reason, seconds: event.seconds } };
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
