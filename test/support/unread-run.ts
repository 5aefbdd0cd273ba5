/** Converts inputs whose users are handed out as speculative chunks, and returns the results and what was guessed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type MockInstance, vi } from 'vitest';
import { InputError } from '../../src/errors.ts';
import type { ConvertSettings } from '../../src/flows/convert/convert-job.ts';
import { convertInputs, type Scan } from '../../src/flows/convert/convert-inputs.ts';
import { createWorkerPool } from '../../src/workers/pool.ts';
import { type PoolWorker, startWorker } from '../../src/workers/worker.ts';
import type { Input } from '../../src/lib/input.ts';
import { isUnread, parseBatch } from '../../src/sources/elements.ts';
import type { KeycloakOptions } from '../../src/sources/keycloak/options.ts';
import { keycloak } from '../../src/sources/keycloak/provider.ts';
import type { ScannedBatch } from '../../src/sources/source.ts';
import { openInput } from '../../src/storage/open-input.ts';
import { usualJob, usualKeycloak } from './usual-job.ts';
import { createTestFolder } from './folder.ts';
import { workerLoader } from './worker-loader.ts';

const job: ConvertSettings<'keycloak'> = { ...usualJob, provider: 'keycloak', options: usualKeycloak };

interface Outcome {
  /** What was written, and what the raw records behind it are. */
  readonly sampleUsers: unknown[];
  readonly raw: unknown[];
  readonly failure: unknown;
}

interface Ran extends Outcome {
  readonly scans: number;
  /** Batches that were handed out unread. */
  readonly guessed: number;
  /** Tasks that other threads were given. */
  readonly helped: number;
  readonly opened: number;
  readonly closed: number;
  /** Files that were open at once. */
  readonly openAtOnce: number;
  /** Of the event loop. */
  readonly turns: number;
}

/** Until they are asked for. */
function countTurns(): () => number {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return turns;
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Steps {
  readonly threads?: number;
  /** The run ends after so many batches. */
  readonly stopAfter?: number;
  /** Called with every batch that is handed out. */
  readonly beforeBatch?: (batch: ScannedBatch) => void;
}

export async function convert(
  inputs: readonly Input[],
  { threads = 1, stopAfter = Infinity, beforeBatch }: Steps = {},
): Promise<Ran> {
  let [scans, guessed, opened, closed, openAtOnce] = [0, 0, 0, 0, 0];
  const turns = countTurns();
  const workers: PoolWorker[] = [];
  const given: MockInstance<PoolWorker['work']>[] = [];
  const watched = inputs.map((input) => ({
    ...input,
    open() {
      const file = input.open?.();
      if (file === undefined) return undefined;
      opened++;
      openAtOnce = Math.max(openAtOnce, opened - closed);
      return {
        ...file,
        close() {
          closed++;
          file.close();
        },
      };
    },
  }));
  const scan: Scan = async function* (fileOf) {
    scans++;
    const aids = fileOf === undefined ? {} : { fileOf };
    for await (const batch of keycloak.scan(watched, job.options as KeycloakOptions, () => {}, aids)) {
      beforeBatch?.(batch);
      if (isUnread(batch)) guessed++;
      yield batch;
      while (!workers.every(({ isReady }) => isReady)) await nextTurn();
    }
  };
  const pool = createWorkerPool(threads, () => {
    const worker = startWorker({ execArgv: [workerLoader] });
    workers.push(worker);
    given.push(vi.spyOn(worker, 'work'));
    return worker;
  });
  const [sampleUsers, raw]: unknown[][] = [[], []];
  let failure: unknown;
  let batches = 0;
  try {
    for await (const { task, result } of convertInputs(watched, scan, job, pool)) {
      sampleUsers!.push(...(JSON.parse(`[${Buffer.from(result.body).toString().slice(1)}]`) as unknown[]));
      raw!.push(...parseBatch(task));
      if (++batches === stopAfter) break;
    }
  } catch (error) {
    failure = error;
  } finally {
    await pool.close();
  }
  const helped = given.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return {
    sampleUsers: sampleUsers!,
    raw: raw!,
    failure,
    scans,
    guessed,
    helped,
    opened,
    closed,
    openAtOnce,
    turns: turns(),
  };
}

/** The same bytes as a plain file and packed; the packed one is always read from its start to its end. */
export function bothWays(bytes: string | Uint8Array): { plain: Input; packed: Input } {
  const [plain, packed] = [createTestFolder(), createTestFolder()];
  writeFileSync(join(plain, 'realm.json'), bytes);
  writeFileSync(join(packed, 'realm.json'), gzipSync(bytes, { level: 1 }));
  return {
    plain: openInput('realm.json', { cwd: plain }),
    packed: openInput('realm.json', { cwd: packed }),
  };
}

export function problemOf({ failure }: Outcome): unknown {
  if (!(failure instanceof InputError)) return failure;
  const { code, problem, position } = failure;
  return { code, problem, position };
}

/** So many make files of more than 1 MiB. */
export const count = 6000;
export const sampleUser = (number: number, more: object = {}): object => ({
  id: `id-${number}`,
  username: `user-${number}`,
  email: `user-${number}@example.org`,
  enabled: true,
  firstName: number % 50 === 0 ? 'Zo\u00eb' : 'Ada',
  lastName: 'Lovelace',
  attributes: { note: ['x'.repeat(100)] },
  ...more,
});
export const sampleUsers = (more: (number: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, number) => sampleUser(number, more(number)));
export const compact = JSON.stringify({
  realm: 'x',
  users: sampleUsers(),
  clients: [{ id: 'c', clientId: 'c' }],
});
export const pretty = JSON.stringify(
  { realm: 'x', users: sampleUsers(), clients: [{ id: 'c', clientId: 'c' }] },
  null,
  2,
);
export const late = compact.indexOf(`"id":"id-${count - 40}"`);
/** `compact` with something put in at a place. */
export const withText = (place: number, put: string): string =>
  compact.slice(0, place) + put + compact.slice(place);
