/** Counts calls and verifier results in the Prometheus text format. Contains no user data. */
import { IdportError } from '../../errors.ts';
import { importOptional } from '../../lib/optional-package.ts';
import { outcomes, type CallOutcome } from './receive.ts';
import type { Verdict } from './verifier.ts';

export type Metrics = ReturnType<typeof countWith>;

/** Answer of the receiver to a GET request. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8];

/** Read each time the metrics page is requested. */
interface Gauges {
  readonly migrated: () => number;
  readonly listed: () => number;
  /** Returns 1 while connected. Absent if there is no shared state. */
  readonly sharedState?: (() => number) | undefined;
}

/** Without the `prom-client` package, nothing is counted and the metrics page says so. */
export async function createMetrics(gauges: Gauges) {
  try {
    return countWith(await importOptional('prom-client@15', 'metrics', () => import('prom-client')), gauges);
  } catch (error) {
    if (!(error instanceof IdportError)) throw error;
    const text = `${error.message}\n${error.hint}\n`;
    const none = () => {};
    return {
      call: none,
      refused: none,
      verified: none,
      page: async () => ({ status: 501, type: 'text/plain', text }),
    };
  }
}

function countWith({ Counter, Gauge, Histogram, Registry }: typeof import('prom-client'), gauges: Gauges) {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: 'idport_jit_calls_total',
    help: 'Verified calls by their outcome.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of Object.keys(outcomes)) calls.inc({ outcome }, 0);
  const refused = new Counter({
    name: 'idport_jit_refused_total',
    help: 'Calls that were not taken: a wrong signature, a body too large.',
    labelNames: ['reason'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'idport_jit_call_seconds',
    help: 'Time until a verified call was answered.',
    buckets,
    registers,
  });
  const verifierSeconds = new Histogram({
    name: 'idport_jit_verifier_seconds',
    help: 'Time until a verifier answered.',
    labelNames: ['verifier', 'result'],
    buckets,
    registers,
  });
  gauge(
    'idport_jit_users_migrated',
    'Users in the journal: their password is at the service.',
    gauges.migrated,
  );
  gauge('idport_jit_users_listed', 'Users on the list.', gauges.listed);
  if (gauges.sharedState !== undefined) {
    gauge('idport_jit_shared_state_connected', '1 while the shared state is connected.', gauges.sharedState);
  }

  function gauge(name: string, help: string, read: () => number) {
    const made = new Gauge({
      name,
      help,
      registers,
      collect() {
        made.set(read());
      },
    });
  }

  return {
    call(outcome: CallOutcome, seconds: number) {
      calls.inc({ outcome });
      callSeconds.observe(seconds);
    },
    refused: (reason: string) => refused.inc({ reason }),
    verified: (verifier: string, result: Verdict | 'failed' | 'paused', seconds: number) =>
      verifierSeconds.observe({ verifier, result }, seconds),
    page: async (): Promise<Page> => ({
      status: 200,
      type: registry.contentType,
      text: await registry.metrics(),
    }),
  };
}
