/** Two receivers side by side through a real Redis or Valkey. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGuessLimits, userRule } from '../../../src/flows/jit/guess-limits.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openMigratedUsers } from '../../../src/flows/jit/migrated-users.ts';
import { createSharedState } from '../../../src/flows/jit/shared-state.ts';
import { openSharedStore } from '../../../src/storage/redis.ts';
import { createFakeClock, until } from '../../support/clock.ts';
import { createTestFolder } from '../../support/folder.ts';
import { defer, listed, openJitWorkspace } from '../../support/jit.ts';
import { redisCommand, startRedis } from '../../support/local-program.ts';

vi.mock(import('../../../src/workers/worker.ts'), () => import('../../support/inline-worker.ts'));

/** As for users, but its delays outlast this test on a slow machine. */
const rule = { ...userRule, firstDelay: 600_000 };

async function openReceiver(port: number) {
  const problems: string[] = [];
  const onProblem = (code: string) => problems.push(code);
  const store = await openSharedStore('--shared-state', `redis://127.0.0.1:${port}`, { onProblem });
  onTestFinished(() => store.close());
  const clock = createFakeClock();
  const shared = createSharedState(store, { service: 'https://example.org', clock, onProblem });
  const journal = await openMigratedUsers(join(createTestFolder(), 'jit.journal'), {
    clock: systemClock,
    onProblem,
  });
  onTestFinished(() => journal.close());
  const own = createGuessLimits(createFakeClock(), rule);
  return {
    store,
    clock,
    shared,
    problems,
    migrated: shared.migrated(journal),
    byUser: shared.limits(own, 'user', rule),
  };
}

async function openTwo() {
  const redis = await startRedis();
  return { redis, one: await openReceiver(redis.port), other: await openReceiver(redis.port) };
}

const alice = { at: '2026-01-02T03:04:05.000Z', id: 'alice', by: 'hashes' };

describe.skipIf(redisCommand === undefined)(
  'receivers with shared state (needs redis-server or valkey-server)',
  () => {
    it('count wrong passwords together', async () => {
      const { one, other } = await openTwo();
      for (const { byUser } of [one, other, one, other]) expect(await byUser.take('alice')).toBe(true);
      expect(await one.byUser.take('alice')).toBe(false);
      expect(await other.byUser.take('alice')).toBe(false);
      expect(await one.byUser.take('bob')).toBe(true);
      const wait = Number(await one.store.send('PTTL', 'idport:jit:example.org:{user:alice}:wait'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(rule.firstDelay);
      // The right password at one of them ends it at the other.
      await other.byUser.forget('alice');
      expect(await other.byUser.take('alice')).toBe(true);
    });

    it('write the password of one user one after the other', async () => {
      const { one, other } = await openTwo();
      const order: string[] = [];
      const [begun, ended] = [defer(), defer()];
      const first = one.shared.alone('alice', async () => {
        begun.resolve();
        await ended.promise;
        order.push('one');
      });
      await begun.promise;
      const second = other.shared.alone('alice', async () => void order.push('other'));
      await other.shared.alone('bob', async () => void order.push('bob'));
      ended.resolve();
      await first;
      await other.clock.advance(50);
      await second;
      expect(order).toEqual(['bob', 'one', 'other']);
    });

    it('keep the lock of another receiver that took it after five seconds', async () => {
      const { one } = await openTwo();
      await one.shared.alone('alice', () => one.clock.advance(5000));
      expect(await one.store.send('EXISTS', 'idport:jit:example.org:{user:alice}:writing')).toBe(1);
    });

    it('continue alone while the store is down, and report it', async () => {
      const redis = await startRedis();
      const receiver = await openReceiver(redis.port);
      await receiver.migrated.add(alice);
      await redis.kill();
      expect(await receiver.migrated.has('alice')).toBe(true);
      expect(await receiver.migrated.has('bob')).toBe(false);
      for (let tries = 0; tries < 4; tries++) expect(await receiver.byUser.take('carol')).toBe(true);
      expect(await receiver.byUser.take('carol')).toBe(false);
      expect(receiver.problems.length).toBeGreaterThan(0);
      expect(receiver.problems).not.toContain('Error');
    });

    it('share new entries once the store is back', async () => {
      const { redis, one, other } = await openTwo();
      await redis.kill();
      await one.migrated.add(alice);
      await startRedis(redis.port);
      await until(() => one.store.isConnected && other.store.isConnected);
      await one.migrated.add({ ...alice, id: 'bob' });
      expect(await other.migrated.has('bob')).toBe(true);
      // The journal of the receiver that migrated her has her; the other one asks the service.
      expect(await one.migrated.has('alice')).toBe(true);
      for (const { byUser } of [one, other, one, other]) expect(await byUser.take('carol')).toBe(true);
      expect(await other.byUser.take('carol')).toBe(false);
    });

    it('share migrated users and limits of one service', async () => {
      const { port } = await startRedis();
      const workspace = await openJitWorkspace();
      for (const name of ['alice', 'bob']) await workspace.addUser(name);
      workspace.writeList(['alice', 'bob'].map(listed));
      const shared = `--shared-state redis://127.0.0.1:${port}`;
      const start = (name: string) =>
        workspace.serve(`--verifier hashes:jit.ndjson --journal ${name}.journal ${shared}`);
      const [one, other] = [await start('one'), await start('other')];
      const { store } = await openReceiver(port);
      // Each receiver has one connection, and this test its own.
      expect(String(await store.send('CLIENT', 'LIST')).match(/^id=/gm)).toHaveLength(3);
      await workspace.setUp(one.url);
      expect(await workspace.logIn('alice')).toBe(201);
      await workspace.logIn('bob', 'wrong');
      const bob = `idport:jit:${new URL(workspace.url).host}:{user:bob}`;
      expect(await store.send('GET', `${bob}:tries`)).toBe('1');
      // Longer than the second that four wrong passwords bring: this machine may be slow.
      await store.send('SET', `${bob}:wait`, '1', 'PX', '600000');
      await workspace.setUp(other.url);
      await workspace.logIn('alice');
      expect(await workspace.logIn('bob')).toBe(400);
      expect(other.out()).toContain('"outcome":"migrated-before","userId":"alice"');
      expect(other.out()).toContain('"outcome":"limited","userId":"bob"');
      const status = await workspace.run(`jit status --users jit.ndjson --journal other.journal ${shared}`);
      expect(status.stdout).toContain('1 of 2 users migrated');
      const metrics = await (await fetch(`${other.url}metrics`)).text();
      expect(metrics).toContain('idport_jit_shared_state_connected 1');
    });
  },
);

it('a store that never answers delays five logins by half a second each, then none', async () => {
  const clock = createFakeClock();
  const problems: string[] = [];
  let asked = 0;
  const stuck = {
    host: '',
    isConnected: true,
    send: () => (asked++, new Promise<never>(() => {})),
    close: () => undefined,
  };
  const onProblem = (code: string) => problems.push(code);
  const shared = createSharedState(stuck, { service: 'https://example.org', clock, onProblem });
  const byUser = shared.limits(createGuessLimits(clock, userRule), 'user', userRule);
  for (let tries = 0; tries < 5; tries++) {
    const taken = byUser.take(`user${tries}`);
    await clock.advance(500);
    expect(await taken).toBe(true);
  }
  expect([asked, problems]).toEqual([5, Array.from({ length: 5 }, () => 'ETIMEDOUT')]);
  expect(await byUser.take('alice')).toBe(true);
  expect(asked).toBe(5);
  await clock.advance(5000);
  void byUser.take('bob');
  await clock.advance(0);
  expect(asked).toBe(6);
});

it('a receiver starts without a reachable store, and refuses an invalid store address', async () => {
  const receiver = await openReceiver(1);
  expect(receiver.problems).toContain('ECONNREFUSED');
  expect(await receiver.byUser.take('alice')).toBe(true);
  await expect(
    openSharedStore('--shared-state', 'http://127.0.0.1', { onProblem: () => undefined }),
  ).rejects.toThrow('--shared-state: not an address of a Redis or Valkey');
});
