/** A run as events, from its start to its end: what listeners are tested with. */
import type { IdportEvent } from '../../src/events.ts';
import { count, countRefusal, emptyTally } from '../../src/records/tally.ts';

/** An event and the milliseconds that pass before it. */
export type Timed = readonly [after: number, event: IdportEvent];

export function exampleTally() {
  const tally = {
    ...emptyTally(),
    read: 1000,
    written: 850,
    withNotes: 140,
    rejected: 2,
    skipped: 8,
    sms: 3,
  };
  count(tally.passwords, 'pbkdf2-sha256', 900);
  count(tally.passwords, 'none', 90);
  count(tally.signIn, 'password', 900);
  count(tally.signIn, 'answer-email', 90);
  countRefusal(
    tally.refusals,
    {
      algorithm: 'argon2id',
      code: 'password:parameters-out-of-limits',
      problem: 'memory 7168 KiB is below the minimum of 8192 KiB',
      remedy: 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_ARGON2_MINMEMORY=7168',
    },
    80,
  );
  count(tally.reasons, 'password:parameters-out-of-limits', 80);
  count(tally.reasons, 'role:not-migrated', 60);
  count(tally.reasons, 'user-skipped:no-email', 2);
  count(tally.reasons, 'user-skipped:service-account', 8);
  count(tally.reasons, 'name:filled', 5);
  count(tally.emails, 'none', 900);
  count(tally.emails, 'init-no-secret', 90);
  return tally;
}

export const exampleRun: readonly Timed[] = [
  [0, { type: 'run:start', verb: 'migrate keycloak', inputs: ['realm.json'], bytes: 1_000_000 }],
  [50, { type: 'run:progress', bytes: 50_000, records: 50 }],
  [1950, { type: 'run:progress', bytes: 250_000, records: 250 }],
  [
    10,
    {
      type: 'record:rejected',
      place: { input: 'realm.json', index: 251, id: 'mia' },
      code: 'user-skipped:no-email',
      detail: '',
    },
  ],
  [90, { type: 'notice', level: 'warning', code: 'input:realm-half', text: 'the realm half only' }],
  [100, { type: 'run:waiting', reason: 'rate-limit', seconds: 30 }],
  [3800, { type: 'run:progress', bytes: 750_000, records: 750 }],
  [2000, { type: 'run:progress', bytes: 1_000_000, records: 1000 }],
  [10, { type: 'file:written', path: 'importBody.json', what: 'body', bytes: 342_000 }],
  [0, { type: 'run:end', verb: 'migrate keycloak', tally: exampleTally(), seconds: 8.01 }],
];
