/** More first logins than can be hashed, and calls whose time is up: the requests go back unchanged. */
import { expect, it, onTestFinished } from 'vitest';
import {
  addressRule,
  createGuessLimits,
  createRepeats,
  userRule,
  createRecent,
} from '../../../src/flows/jit/guess-limits.ts';
import { createMetrics } from '../../../src/flows/jit/metrics.ts';
import { createSlots } from '../../../src/flows/jit/receive.ts';
import { loginMethods } from '../../../src/flows/jit/setup.ts';
import { startReceiver, type ReceiverOptions } from '../../../src/flows/jit/receiver.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { HashThreads } from '../../../src/flows/hashing/hash-threads.ts';
import type { UserList } from '../../../src/flows/jit/user-list.ts';
import { createVerifierChain } from '../../../src/flows/jit/verifier.ts';
import { hashes } from '../../../src/flows/jit/verifiers/hashes.ts';
import { createFakeClock, until } from '../../support/clock.ts';
import { defer, sendSigned, serviceUser, sha256Form } from '../../support/jit.ts';

const key = 'a-signing-key';
/** A receiver for a service without passwords, with an old system that takes all of them. */
async function startWith({
  writePassword = async () => {},
  hasPassword = async () => false,
  ...parts
}: Partial<ReceiverOptions & Pick<ReceiverOptions['service'], 'writePassword' | 'hasPassword'>>) {
  const decisions: Parameters<ReceiverOptions['onDecision']>[0][] = [];
  const migrated = new Set<string>();
  const stop = new AbortController();
  const metrics = await createMetrics({ migrated: () => 0, listed: () => 0 });
  const receiver = await startReceiver({
    service: {
      userOfSession: async () => ({ id: undefined, address: undefined }),
      findUser: async (id) => serviceUser(id),
      findByLoginName: async () => undefined,
      findByUserName: async () => undefined,
      hasPassword,
      writePassword,
    },
    list: undefined,
    anyUser: true,
    migrated: {
      has: async (id) => migrated.has(id),
      add: async ({ id }) => void migrated.add(id),
    },
    alone: (_, work) => work(),
    verifiers: { ask: async () => ({ verdict: 'right', verifier: 'own' }), close: async () => {} },
    byUser: createGuessLimits(systemClock, userRule),
    byAddress: createGuessLimits(systemClock, addressRule),
    repeats: createRepeats(systemClock),
    loginNames: createRecent(systemClock, 60_000),
    slots: createSlots(2),
    renewList: async () => {},
    hash: async () => 'hash',
    requireChange: false,
    clock: systemClock,
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    keys: async () => [key],
    answerWithin: 60_000,
    isReady: async () => true,
    metrics,
    onDecision: (decision) => decisions.push(decision),
    onRefused: () => undefined,
    onUnusable: () => undefined,
    signal: stop.signal,
    ...parts,
  });
  const logIn = async (userId: string) => {
    const request = { checks: { user: { userId }, password: { password: 'secret' } } };
    const call = { fullMethod: loginMethods[0], request };
    const answer = await sendSigned(receiver.url, call, key, (parts.clock ?? systemClock).now());
    expect(await answer.json()).toEqual(request);
    return answer.status;
  };
  onTestFinished(async () => {
    stop.abort();
    await receiver.stopped;
  });
  return { logIn, decisions, metrics };
}

it('jit serve returns first logins at once if all slots are taken, and migrated users need no slot', async () => {
  const hashed = defer<string>();
  const areBegun = defer();
  let begun = 0;
  const { logIn, decisions } = await startWith({
    hash: () => {
      if (++begun === 2) areBegun.resolve();
      return hashed.promise;
    },
  });
  const first = ['alice', 'bob'].map(logIn);
  await areBegun.promise;
  await logIn('carol');
  expect(decisions).toEqual([expect.objectContaining({ userId: 'carol', outcome: 'busy' })]);
  hashed.resolve('hash');
  await Promise.all(first);
  expect(decisions.find(({ userId }) => userId === 'alice')?.outcome).toBe('migrated');
  await logIn('alice');
  expect(decisions.at(-1)?.outcome).toBe('migrated-before');
  await logIn('dave');
  expect(decisions.at(-1)?.outcome).toBe('migrated');
});

it('jit serve still checks and writes the password of a timed-out call, and the retry finds it', async () => {
  const clock = createFakeClock();
  const isBegun = defer();
  const matches = defer<boolean>();
  const threads = {
    // A busy machine: it runs longer than a call may take.
    verify: async (_, __, signal, begins) => {
      begins?.();
      isBegun.resolve();
      const isEnded = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      return Promise.race([matches.promise, isEnded]);
    },
    close: async () => {},
  } as Partial<HashThreads> as HashThreads;
  const problems: string[] = [];
  const verifiers = createVerifierChain([{ name: 'hashes', ...hashes(threads, clock) }], {
    clock,
    timeout: 1500,
    onResult: () => undefined,
    onProblem: (_, problem) => problems.push(problem),
  });
  const listed = { id: 'alice', userName: 'alice', form: sha256Form('secret') };
  const list = { size: 1, find: async () => listed } as Partial<UserList> as UserList;
  let written = 0;
  const { logIn, decisions, metrics } = await startWith({
    clock,
    verifiers,
    list,
    answerWithin: 1800,
    writePassword: async () => void written++,
  });
  const first = logIn('alice');
  await isBegun.promise;
  await clock.advance(1800);
  await first;
  expect([decisions, problems]).toEqual([[], []]);
  matches.resolve(true);
  await until(() => decisions.length > 0);
  expect(decisions).toMatchObject([{ outcome: 'migrated', late: true }]);
  await logIn('alice');
  expect([decisions.at(-1)?.outcome, written]).toEqual(['migrated-before', 1]);
  const { text } = await metrics.page();
  // A call whose time is up is counted once.
  expect(text).toContain('idport_jit_calls_total{outcome="late"} 1');
  expect(text).toContain('idport_jit_calls_total{outcome="migrated"} 0');
  expect(text).toContain('idport_jit_call_seconds_count 2');
});

it('jit serve does not overwrite a password that a user sets during the check', async () => {
  const hashed = defer<string>();
  const isBegun = defer();
  const clock = createFakeClock();
  let hasPassword = false;
  const { logIn, decisions } = await startWith({
    clock,
    answerWithin: 1800,
    hasPassword: async () => hasPassword,
    hash: () => (isBegun.resolve(), hashed.promise),
  });
  const first = logIn('alice');
  await isBegun.promise;
  await clock.advance(1800);
  await first;
  hasPassword = true;
  hashed.resolve('hash');
  await until(() => decisions.length > 0);
  expect(decisions).toMatchObject([{ outcome: 'migrated-before', late: true }]);
});
