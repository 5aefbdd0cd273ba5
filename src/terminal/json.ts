/** Writes events as NDJSON and reads them back; docs/events.md has the format. */
import type { Emit, IdportEvent } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';
import { oldCodes, oldEvents, oldFields, oldKeys, withOldAlgorithm } from '../lib/old-names.ts';
import { countRefusal, type Refusals, type Tally } from '../records/tally.ts';

/** `time` is the wall clock; `at` are milliseconds since the program began, on a clock that never jumps. */
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
    print([encodeEvent(event, stamp), ...withOldName(event, stamp)]);
  };
}

/** One line of JSON without the line break. Counts become objects, refusals a list. */
export function encodeEvent(event: IdportEvent, stamp: Stamp): string {
  return printable(JSON.stringify({ ...stamp, ...withOldKeys(event) }));
}

/** Reads what `encodeEvent` wrote. Throws a SyntaxError for anything that is not JSON. */
export function decodeEvent(line: string): { event: IdportEvent; stamp: Stamp } {
  const { time, at, [oldKeys.users]: _, ...event } = JSON.parse(line) as Stamp & Written;
  return {
    stamp: { time, at },
    event: event.type === 'run:end' ? { ...event, tally: decodeTally(event.tally) } : event,
  };
}

type RunEnd = Extract<IdportEvent, { type: 'run:end' }>;
type Encoded = Exclude<IdportEvent, RunEnd> | (Omit<RunEnd, 'tally'> & { tally: EncodedTally });
type Written = Encoded & { [oldKeys.users]?: unknown };
type EncodedTally = ReturnType<typeof encodeTally>;

/** Names of the release before stand beside the new ones. */
function withOldKeys(event: IdportEvent): object {
  if (event.type === 'verify:end' || event.type === 'undo:end')
    return { ...event, [oldKeys.users]: event.users };
  return event.type === 'run:end' ? { ...event, tally: encodeTally(event.tally) } : event;
}

/** An event whose type or code has a new name is also written under the old one. */
function withOldName(event: IdportEvent, stamp: Stamp): string[] {
  const old = (names: object): string[] => [
    printable(JSON.stringify({ ...stamp, ...event, ...names, deprecated: true })),
  ];
  if (event.type === 'user:compared') {
    const fields = event.fields.map((field) => oldFields[field] ?? field);
    return old({ type: oldEvents[event.type], fields });
  }
  const code = event.type === 'notice' ? oldCodes[event.code] : undefined;
  return code === undefined ? [] : old({ code });
}

function encodeTally({ emails, ...tally }: Tally) {
  return {
    ...tally,
    passwords: Object.fromEntries(tally.passwords),
    dropped: Object.fromEntries(tally.dropped),
    withoutPassword: Object.fromEntries(tally.withoutPassword),
    refusals: [...tally.refusals.values()].map(withOldAlgorithm),
    reasons: Object.fromEntries(tally.reasons),
    aliases: Object.fromEntries(tally.aliases),
    repeats: Object.fromEntries(tally.repeats),
    emails: Object.fromEntries(emails),
    [oldKeys.emails]: Object.fromEntries(emails),
  };
}

function decodeTally(encoded: EncodedTally): Tally {
  const { emails, [oldKeys.emails]: _, ...counts } = encoded;
  const refusals: Refusals = new Map();
  for (const { [oldKeys.algorithm]: _, count, ...refusal } of encoded.refusals) {
    countRefusal(refusals, refusal, count);
  }
  return {
    ...counts,
    passwords: new Map(Object.entries(encoded.passwords)),
    dropped: new Map(Object.entries(encoded.dropped)),
    withoutPassword: new Map(Object.entries(encoded.withoutPassword)),
    refusals,
    reasons: new Map(Object.entries(encoded.reasons)),
    aliases: new Map(Object.entries(encoded.aliases)),
    repeats: new Map(Object.entries(encoded.repeats)),
    emails: new Map(Object.entries(emails)),
  };
}
