/** Writes events as NDJSON. docs/events.md describes the format. */
import type { Emit, IdportEvent } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { printable } from '../lib/format.ts';

/** `time` is the wall clock; `at` is milliseconds since the start, on the monotonic clock. */
export interface Stamp {
  readonly time: string;
  readonly at: number;
}

export function createJson(print: (lines: readonly string[]) => void, clock: Clock): Emit {
  const startedAt = clock.monotonic();
  return (event) => {
    const stamp = {
      time: new Date(clock.now()).toISOString(),
      at: Math.round(clock.monotonic() - startedAt),
    };
    print([encodeEvent(event, stamp)]);
  };
}

/** Returns one line of JSON without the line break. Maps of counts become objects, refusals become a list. */
export function encodeEvent(event: IdportEvent, stamp: Stamp) {
  return printable(JSON.stringify({ ...stamp, ...event }, withoutMaps));
}

function withoutMaps(name: string, value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  return name === 'refusals' ? [...value.values()] : Object.fromEntries(value);
}
