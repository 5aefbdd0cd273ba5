/** Hashes that would work for minutes or take all memory: only their user is kept waiting. */
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createHashThreads } from '../../../src/flows/hashing/hash-threads.ts';
import {
  createVerifierChain,
  type LoginAttempt,
  type Verdict,
  VerifierError,
} from '../../../src/flows/jit/verifier.ts';
import { hashes } from '../../../src/flows/jit/verifiers/hashes.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type SourceForm } from '../../../src/records/hash-forms/form.ts';
import { verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { startWorker } from '../../../src/workers/worker.ts';
import { sha256Form } from '../../support/jit.ts';
import { workerLoader } from '../../support/worker-loader.ts';

const bcrypt = (cost: number) => `$2b$${cost}$d.GvZhGwTllA7OdAmsA75uGGzqr/mhdQoU88M3zD.fX3Vb8Rcf33.`;
const mcf = (text: string): SourceForm => ({ kind: 'mcf', mcf: text, of: 'password' });
const pbkdf2 = (rounds: number, key = 'a'.repeat(44)) =>
  mcf(`$pbkdf2-sha3-256$${rounds}$c2FsdHNhbHQ=$${key}`);
const firebase = {
  kind: 'firebase-scrypt',
  memoryCost: 14,
  rounds: 8,
  parallelization: 1,
  salt: 'AAAA',
  separator: '',
  signerKey: { text: 'key' },
  hash: 'AAAA',
} as const;

it.each<[string, SourceForm]>([
  ['bcrypt', mcf(bcrypt(31))],
  ['PBKDF2', mcf('$pbkdf2-sha256$2147483647$c2FsdHNhbHQ=$a2V5')],
  ['PBKDF2 of a target that has none', pbkdf2(2_147_483_647)],
  ['PBKDF2 with a long key', pbkdf2(4_000_000, 'a'.repeat(880))],
  ['Argon2', mcf('$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5')],
  ['Argon2d', mcf('$argon2d$v=19$m=65536,t=4294967295,p=1$c2FsdHNhbHQ$AAAA')],
  ['scrypt', mcf('$scrypt$ln=30,r=8,p=1$c2FsdHNhbHQ$a2V5')],
  ["Firebase's scrypt", { ...firebase, memoryCost: 30 }],
  ['crypt(3)', mcf(`$6$rounds=999999999$salt$${'.'.repeat(86)}`)],
  [
    'a repeated digest',
    { kind: 'digest', expected: 'AA==', of: { digest: 'md5', of: 'password', rounds: 1e9 } },
  ],
  [
    'a digest of bcrypt',
    {
      kind: 'digest',
      expected: 'AA==',
      of: { digest: 'md5', of: { bcryptLike: bcrypt(31), of: 'password' } },
    },
  ],
  ['one of several', { kind: 'any', of: [sha256Form('b'), mcf(bcrypt(31))] }],
])('verifyForm refuses an excessive %s hash before it computes anything', async (_, form) => {
  expect(await verifyForm(form, 'a')).toMatchObject({
    code: 'password:parameters-out-of-limits',
    detail: expect.stringContaining(' is beyond '),
  });
});

it('verifyForm accepts the costs of real systems', async () => {
  for (const form of [mcf('$2b$12$d.GvZhGwTllA7OdAmsA75u'), pbkdf2(1000), firebase]) {
    expect(await verifyForm(form, 'a')).not.toMatchObject({ code: 'password:parameters-out-of-limits' });
  }
});

function attemptOf(userId: string, form: SourceForm, password = 'a'): LoginAttempt {
  const names = { userName: userId, loginName: userId, email: '' };
  return { userId, ...names, password, listed: { id: userId, userName: userId, form } };
}

it('a hash check ends at its timeout, and checks queued behind it continue', async () => {
  const start = () => startWorker({ execArgv: [workerLoader] });
  const threads = createHashThreads(1, {}, start);
  onTestFinished(() => threads.close());
  let now = 0;
  const verifier = hashes(threads, { ...systemClock, monotonic: () => now });
  const check = (user: string, form: SourceForm, signal: AbortSignal) =>
    verifier.check(attemptOf(user, form), signal);
  const { signal } = new AbortController();
  // The first task of a thread waits for its modules.
  expect(await check('bob', sha256Form('a'), signal)).toBe('right');
  const limits = Array.from({ length: 9 }, () => new AbortController());
  const slow = limits.map((limit, n) => check(`mallory${n}`, mcf(bcrypt(18)), limit.signal));
  await setImmediate();
  const hasty = new AbortController();
  const late = check('bob', sha256Form('a'), hasty.signal);
  const other = check('bob', sha256Form('a'), signal);
  await setImmediate();
  hasty.abort(new VerifierError('it did not answer in time'));
  await expect(late).rejects.toThrow('it did not answer in time');
  now = 1000;
  for (const limit of limits) limit.abort(new VerifierError('it did not answer in time'));
  expect(await Promise.allSettled(slow)).toMatchObject(slow.map(() => ({ status: 'rejected' })));
  expect(await other).toBe('right');
  await expect(check('mallory0', mcf(bcrypt(18)), signal)).rejects.toThrow('its hash takes too long');
});

/** A verifier that never answers in time, and its chain with five tries of each user in turn. */
async function failFor(users: readonly string[], isLocal: boolean) {
  let now = 0;
  const results: string[] = [];
  const clock = { ...systemClock, monotonic: () => now, sleep: async () => undefined };
  let answers = false;
  const verifier = {
    name: 'old',
    ...(isLocal && { isLocal }),
    check: async (): Promise<Verdict> => (answers ? 'right' : new Promise(() => undefined)),
    close: async () => {},
  } as const;
  const chain = createVerifierChain([verifier], {
    clock,
    timeout: 100,
    onResult: (_, result) => results.push(result),
    onProblem: () => undefined,
  });
  const ask = (user: string) => chain.ask(attemptOf(user, sha256Form('a')));
  for (const user of users) await ask(user);
  return {
    ask,
    results,
    wait: (ms: number) => void (now += ms),
    recover: () => void (answers = true),
  };
}

const five = ['a', 'b', 'c', 'd', 'e'];

it.each([
  ['five tries of one user pause nothing', ['a', 'a', 'a', 'a', 'a', 'a'], false, false],
  ['five users whose hashes fail pause nothing', five, true, false],
  ['a system that fails for five users in a row is paused', five, false, true],
])('%s', async (_, users, isLocal, isPaused) => {
  const { ask, results } = await failFor(users, isLocal);
  await ask('f');
  expect(results.at(-1)).toBe(isPaused ? 'paused' : 'failed');
});

it('the verifier chain sends one probe after a pause and resumes once it succeeds', async () => {
  const { ask, results, wait, recover } = await failFor(five, false);
  wait(5000);
  results.length = 0;
  await Promise.all(five.map(ask));
  expect(results.toSorted()).toEqual(['failed', 'paused', 'paused', 'paused', 'paused']);
  await ask('a');
  expect(results.at(-1)).toBe('paused');
  wait(5000);
  recover();
  results.length = 0;
  await ask('a');
  await Promise.all(five.map(ask));
  expect(results).toEqual(['right', ...five.map(() => 'right')]);
});
