import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type MockInstance, vi } from 'vitest';
import { createBatchConverter } from '../../../src/flows/convert/convert-batch.ts';
import type { ConvertSettings } from '../../../src/flows/convert/convert-job.ts';
import { convertBatches } from '../../../src/flows/convert/convert-job.ts';
import { createWorkerPool } from '../../../src/workers/pool.ts';
import { type PoolWorker, startWorker } from '../../../src/workers/worker.ts';
import type { Input } from '../../../src/lib/input.ts';
import { scanJoined } from '../../../src/sources/auth0/scan.ts';
import type { KeycloakOptions } from '../../../src/sources/keycloak/options.ts';
import { keycloak } from '../../../src/sources/keycloak/provider.ts';
import type { RawBatch, Reader } from '../../../src/sources/source.ts';
import { auth0Options, usualJob, usualKeycloak } from '../../support/usual-job.ts';
import { createTestFolder } from '../../support/folder.ts';
import { memoryInput } from '../../support/memory-input.ts';
import { runProcess } from '../../support/process.ts';
import { workerLoader } from '../../support/worker-loader.ts';

const secretData = JSON.stringify({ value: Buffer.alloc(64, 7).toString('base64'), salt: 'c2FsdHNhbHQ=' });
const credentialData = JSON.stringify({ hashIterations: 27500, algorithm: 'pbkdf2-sha256' });
const passwordOf = (number: number): object[] =>
  number % 61 === 0 ? [] : [{ type: 'password', secretData, credentialData }];

/** Many batches of them: among the usual users some who are rejected, told of, there twice or written the long way. */
const sampleUsers = Array.from({ length: 4000 }, (_, number) => ({
  id: `id-${number}`,
  username: number % 97 === 5 ? `user-${number - 1}` : `user-${number}`,
  email: number % 101 === 0 ? '' : `user-${number}@example.org`,
  emailVerified: true,
  enabled: true,
  firstName: number % 89 === 0 ? 'B\u00f6\t"' : 'Ada',
  lastName: number % 83 === 0 ? 'l'.repeat(300) : 'Lovelace',
  attributes: number % 71 === 0 ? { shoe: ['42'], note: ['x'.repeat(5000)] } : {},
  credentials: passwordOf(number),
  padding: '[{'.repeat(500),
}));
const auth0Users = sampleUsers.map(({ id, firstName, lastName, email, attributes, padding }, number) => ({
  user_id: `auth0|${number}`,
  identities: [{ provider: 'auth0', connection: 'db', user_id: `${number}` }],
  email: number % 97 === 5 ? `user-${number - 1}@example.org` : email,
  email_verified: true,
  nickname: id,
  given_name: firstName,
  family_name: lastName,
  user_metadata: attributes,
  padding,
}));
const passwords = sampleUsers.map(({ email }, number) => ({
  _id: { $oid: `${number}` },
  email,
  passwordHash: `$2b$10$${'ab./'.repeat(13)}${number % 10}`,
  connection: 'db',
}));
const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Each row with a cell too few is a batch of its own, of which nothing is written. */
const table = [
  'user_id,email,email_verified,given_name,family_name',
  ...Array.from({ length: 60 }, (_, number) =>
    number % 3 === 0 ? `auth0|${number},u${number}@example.org,true,Ada,Lovelace` : `auth0|${number}`,
  ),
].join('\n');

const inputs = {
  'realm.json': JSON.stringify({ realm: 'x', groups: [], users: sampleUsers, clients: [] }, null, 2),
  'users.ndjson': lines(auth0Users),
  'passwords.ndjson': lines(passwords.toReversed()),
  'users.csv': table,
};
const commands = {
  keycloak: ['keycloak', '--realm=realm.json', '--metadata=attributes'],
  auth0: ['auth0', '--users=users.ndjson', '--passwords=passwords.ndjson'],
  table: ['auth0', '--users=users.csv'],
};

async function migrate(
  command: keyof typeof commands,
  threads: number,
  told = '4,000 users read',
): Promise<string[]> {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(inputs)) writeFileSync(join(cwd, name), text);
  const outputs = ['--output=body.json', '--report=report.json', '--rejects=rejects.ndjson'];
  const argv = ['migrate', ...commands[command], '--org=1', ...outputs, `--threads=${threads}`];
  const { stderr } = await runProcess(argv, { cwd });
  expect(stderr).toContain(told);
  return ['body.json', 'report.json', 'rejects.ndjson'].map((name) =>
    readFileSync(join(cwd, name), 'utf8')
      .replace(/"run":\{.*"timeline":\[[^\]]*\]\},/, '')
      .replaceAll(/"(startedAt|seconds)":[^,]*/g, ''),
  );
}

/** Four processes take a while on a busy machine. */
const patience = 180_000;

describe('any number of threads', { timeout: patience }, () => {
  it.each(['keycloak', 'auth0'] as const)('gives the same files: %s', async (provider) => {
    const [alone, together] = await Promise.all([migrate(provider, 1), migrate(provider, 3)]);
    const [body = '', report = '', rejects = ''] = alone;
    expect(body.length).toBeGreaterThan(1_000_000);
    expect(report).toContain('duplicate');
    expect(rejects.split('\n').length).toBeGreaterThan(50);
    expect(together).toEqual(alone);
  });
});

const options = await auth0Options();

describe('threads beside this one', { timeout: patience }, () => {
  const job: ConvertSettings<'auth0'> = {
    ...usualJob,
    provider: 'auth0',
    options,
  };

  /** `helped` is how many tasks other threads were given. The inputs wait until those are ready. */
  async function join(
    threads: number,
  ): Promise<{ readonly bodies: string[]; readonly told: unknown[]; readonly helped: number }> {
    const workers: PoolWorker[] = [];
    const given: MockInstance<PoolWorker['work']>[] = [];
    const start = (): PoolWorker => {
      const worker = startWorker({ execArgv: [workerLoader] });
      workers.push(worker);
      given.push(vi.spyOn(worker, 'work'));
      return worker;
    };
    const patient = (name: string, text: string): Input => {
      const input = memoryInput(name, text, { blockBytes: 20_000 });
      async function* blocks(): AsyncGenerator<Uint8Array> {
        for await (const block of input.blocks()) {
          while (!workers.every(({ isReady }) => isReady))
            await new Promise((resolve) => setImmediate(resolve));
          yield block;
        }
      }
      return { ...input, blocks };
    };
    const pool = createWorkerPool(threads, start);
    const [bodies, told]: [string[], unknown[]] = [[], []];
    const batches = scanJoined(
      [patient('users', inputs['users.ndjson'])],
      { passwords: [patient('passwords', inputs['passwords.ndjson'])], mfa: [] },
      (notice) => told.push(notice),
      { batchBytes: 10_000 },
    );
    for await (const { result } of convertBatches(batches, job, pool)) {
      bodies.push(Buffer.from(result.body).toString());
    }
    await pool.close();
    return { bodies, told, helped: given.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
  }

  it('convert while this one joins', async () => {
    const [alone, together] = [await join(1), await join(3)];
    expect(alone.bodies.join('').split('"hashedPassword"').length).toBeGreaterThan(1000);
    expect(together.bodies).toEqual(alone.bodies);
    expect(together.told).toEqual(alone.told);
    expect(together.helped).toBeGreaterThan(20);
  });
});

describe('a thread beside this one', { timeout: patience }, () => {
  const job: ConvertSettings<'keycloak'> = { ...usualJob, provider: 'keycloak', options: usualKeycloak };
  const elements = JSON.stringify(sampleUsers.slice(0, 200)).slice(1, -1);
  /** As the scanner yields them: results are written after the elements, in the same buffer. */
  const nextBatch = (): RawBatch => {
    const memory = Buffer.from(new ArrayBuffer(4 * elements.length));
    const length = memory.write(elements);
    const [bytes, room] = [memory.subarray(0, length), memory.subarray(length)];
    return {
      input: 'realm.json',
      elements: { form: 'elements', bytes, cuts: [], room, offset: 0, count: 200 },
      context: { realm: 'x', federated: false },
    };
  };

  it('converts as this one does', async () => {
    const workers: MockInstance<PoolWorker['work']>[] = [];
    const helped = (): number => workers.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const start = (): PoolWorker => {
      const worker = startWorker({ execArgv: [workerLoader] });
      workers.push(vi.spyOn(worker, 'work'));
      return worker;
    };
    async function* untilHelped(): AsyncGenerator<RawBatch> {
      while (helped() < 10) {
        yield nextBatch();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const slow = createBatchConverter(
      keycloak.reader(job.options as KeycloakOptions) as Reader<unknown>,
      job,
    );
    const { body, details, ...expected } = await slow(nextBatch());
    const pool = createWorkerPool(2, start);
    for await (const { result } of convertBatches(untilHelped(), job, pool)) {
      expect(Buffer.compare(result.body, body)).toBe(0);
      expect(result).toMatchObject({ ...expected, details });
    }
    await pool.close();
    expect(helped()).toBe(10);
  });
});
