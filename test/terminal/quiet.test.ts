import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import { emptyTally } from '../../src/records/tally.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { toProblem } from '../../src/terminal/problem.ts';
import { createQuiet } from '../../src/terminal/quiet.ts';
import { exampleRun } from '../support/events.ts';

function hear(events: readonly IdportEvent[]): string[] {
  const printed: string[] = [];
  const emit = createQuiet((lines) => printed.push(...lines), 80, noPaint);
  for (const event of events) emit(event);
  return printed;
}

it('says only what went wrong', () => {
  expect(hear(exampleRun.map(([, event]) => event))).toEqual([
    'warning: the realm half only',
    '2 of 1,000 users rejected',
  ]);
  expect(hear([toProblem(new UsageError('no such flag'))])).toEqual(['error: no such flag']);
});

it('says nothing where nothing went wrong', () => {
  expect(
    hear([
      { type: 'run:start', verb: 'migrate keycloak', inputs: ['realm.json'], bytes: 10 },
      { type: 'notice', level: 'info', code: 'input:found', text: 'found 3 files' },
      {
        type: 'run:end',
        verb: 'migrate keycloak',
        tally: { ...emptyTally(), read: 1, written: 1 },
        seconds: 1,
      },
    ]),
  ).toEqual([]);
});
