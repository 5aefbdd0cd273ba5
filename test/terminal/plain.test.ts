import { expect, it } from 'vitest';
import { noPaint } from '../../src/terminal/paint.ts';
import { createPlain } from '../../src/terminal/plain.ts';
import { createFakeClock } from '../support/clock.ts';
import { exampleRun } from '../support/events.ts';

it('writes a line at the start, then one of progress a minute, and the summary', async () => {
  const clock = createFakeClock();
  const printed: string[] = [];
  const emit = createPlain({ print: (lines) => printed.push(...lines), width: 80, paint: noPaint }, clock);
  for (const [after, event] of exampleRun) {
    await clock.advance(after);
    emit(event);
  }
  expect(printed.slice(0, 4)).toEqual([
    'idport migrate keycloak: realm.json (1 MB)',
    'rejected: realm.json #251 (mia): user-skipped:no-email',
    'warning: the realm half only',
    '25 %, waiting 30 s: the service asks to slow down, 250 users, 1 rejected, 114/s, 250 kB of 1 MB',
  ]);
  expect(printed.slice(5, 7)).toEqual([
    'Who can sign in',
    '  900 of 990 can sign in right away with their old password',
  ]);
});

it('is silent between the lines, however much happens', async () => {
  const clock = createFakeClock();
  const printed: string[] = [];
  const emit = createPlain({ print: (lines) => printed.push(...lines), width: 80, paint: noPaint }, clock);
  emit({ type: 'run:start', verb: 'migrate keycloak', inputs: ['-'], bytes: undefined });
  for (let i = 1; i <= 100; i++) {
    await clock.advance(1200);
    emit({ type: 'run:progress', bytes: i * 1000, records: i });
  }
  expect(printed).toEqual([
    'idport migrate keycloak: -',
    '50 users, 0.83/s, 50 kB',
    '100 users, 0.83/s, 100 kB',
  ]);
});
