import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createPlain } from '../../src/terminal/plain.ts';
import { withState } from '../../src/terminal/run-state.ts';
import { createFakeClock } from '../support/clock.ts';
import { exampleRun, type Timed } from '../support/events.ts';

async function print(run: readonly Timed[]) {
  const clock = createFakeClock();
  const printed: string[] = [];
  const output = { print: (lines: readonly string[]) => printed.push(...lines), width: 80, paint: noPaint };
  const emit = withState(createPlain(output), clock);
  for (const [after, event] of run) {
    await clock.advance(after);
    emit(event);
  }
  return printed;
}

it('createPlain prints a start line, progress once a minute and the summary', async () => {
  const printed = await print(exampleRun);
  expect(printed.slice(0, 4)).toEqual([
    'idport migrate keycloak: realm.json (1 MB)',
    'rejected: realm.json #252 (mia): user-skipped:no-email',
    'warning: the realm half only',
    '25 %, waiting 30 s: the service asks to slow down, 250 users, 1 rejected, 114/s, 250 kB of 1 MB',
  ]);
  expect(printed.slice(5, 7)).toEqual([
    'Who can sign in',
    '  900 of 990 can sign in right away with their old password',
  ]);
});

it('createPlain prints nothing between the progress lines', async () => {
  const start: IdportEvent = { type: 'run:start', verb: 'migrate keycloak', inputs: ['-'], bytes: undefined };
  const progress = Array.from({ length: 100 }, (_, i): Timed => [
    1200,
    { type: 'run:progress', bytes: (i + 1) * 1000, records: i + 1 },
  ]);
  const place = { input: '-', index: 0, id: 'mia' };
  const rejected: Timed = [0, { type: 'record:rejected', place, code: 'record:malformed', detail: '' }];
  expect(await print([[0, start], rejected, ...progress])).toEqual([
    'idport migrate keycloak: standard input',
    'rejected: standard input #1 (mia): record:malformed',
    '50 users, 1 rejected, 0.83/s, 50 kB',
    '100 users, 1 rejected, 0.83/s, 100 kB',
  ]);
});
