/** Writes events as NDJSON and reads them back; docs/events.md has the format. */
import type { Emit, IdportEvent } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';
import { countRefusal, type Refusals, type Tally } from '../records/tally.ts';

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

/** One line of JSON without the line break. Counts become objects, refusals a list. */
export function encodeEvent(event: IdportEvent, stamp: Stamp): string {
  const encoded = event.type === 'run:end' ? { ...event, tally: encodeTally(event.tally) } : event;
  return printable(JSON.stringify({ ...stamp, ...encoded }));
}

/** Reads what `encodeEvent` wrote. Throws a SyntaxError for anything that is not JSON. */
export function decodeEvent(line: string): { event: IdportEvent; stamp: Stamp } {
  const { time, at, ...event } = JSON.parse(line) as Stamp & Encoded;
  return {
    stamp: { time, at },
    event: event.type === 'run:end' ? { ...event, tally: decodeTally(event.tally) } : event,
  };
}

type RunEnd = Extract<IdportEvent, { type: 'run:end' }>;
type Encoded = Exclude<IdportEvent, RunEnd> | (Omit<RunEnd, 'tally'> & { tally: EncodedTally });
type EncodedTally = ReturnType<typeof encodeTally>;

function encodeTally(tally: Tally) {
  return {
    ...tally,
    passwords: Object.fromEntries(tally.passwords),
    dropped: Object.fromEntries(tally.dropped),
    signIn: Object.fromEntries(tally.signIn),
    refusals: [...tally.refusals.values()],
    reasons: Object.fromEntries(tally.reasons),
    aliases: Object.fromEntries(tally.aliases),
    repeats: Object.fromEntries(tally.repeats),
    emails: Object.fromEntries(tally.emails),
  };
}

function decodeTally(encoded: EncodedTally): Tally {
  const refusals: Refusals = new Map();
  for (const { count, ...refusal } of encoded.refusals) countRefusal(refusals, refusal, count);
  return {
    ...encoded,
    passwords: new Map(Object.entries(encoded.passwords)),
    dropped: new Map(Object.entries(encoded.dropped)),
    signIn: new Map(Object.entries(encoded.signIn)),
    refusals,
    reasons: new Map(Object.entries(encoded.reasons)),
    aliases: new Map(Object.entries(encoded.aliases)),
    repeats: new Map(Object.entries(encoded.repeats)),
    emails: new Map(Object.entries(encoded.emails)),
  };
}
