import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { emptyTally } from '../../src/records/tally.ts';
import { createJson, encodeEvent } from '../../src/terminal/json.ts';
import { createFakeClock } from '../support/clock.ts';
import { decodeEvent } from '../support/workspace.ts';
import { exampleRun } from '../support/events.ts';

const stamp = { time: '2026-01-01T00:00:00.000Z', at: 7 };

it.each(exampleRun.map(([, event]) => [event.type, event]))(
  'encodeEvent and decodeEvent round-trip %s',
  (_, event) => {
    const line = encodeEvent(event, stamp);
    expect(line).not.toContain('\n');
    expect(decodeEvent(line)).toEqual({ event, stamp });
  },
);

it('encodeEvent and decodeEvent keep counts of names like __proto__', () => {
  const tally = { ...emptyTally(), passwords: new Map([['__proto__', 3]]) };
  const event: IdportEvent = { type: 'run:end', verb: 'migrate keycloak', tally, seconds: 1 };
  expect(decodeEvent(encodeEvent(event, stamp))).toEqual({ event, stamp });
});

it('encodeEvent and decodeEvent stamp events with time of day and time since the start', async () => {
  const clock = createFakeClock({ now: Date.UTC(2026, 5, 1, 2) });
  const printed: string[] = [];
  await clock.advance(1000);
  const emit = createJson((lines) => printed.push(...lines), clock);
  await clock.advance(250);
  emit({ type: 'run:progress', bytes: 1, records: 1 });
  expect(printed).toEqual([
    '{"time":"2026-06-01T02:00:01.250Z","at":250,"type":"run:progress","bytes":1,"records":1}',
  ]);
});
