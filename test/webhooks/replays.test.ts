import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReplayGuard, type ReplayGuard } from '../../src/webhooks/replays.ts';

const base = 1_700_000_000;
const callAt = (second: number, ...signatures: readonly string[]) => ({
  signedAt: new Date(second * 1000),
  signatures,
});
const takes = (guard: ReplayGuard, call: ReturnType<typeof callAt>) => guard.admit(call) === undefined;

it('the memory of replays never accepts a call twice, at any size', () => {
  const call = fc.record({
    second: fc.integer({ min: base, max: base + 30 }),
    id: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(call), fc.integer({ min: 1, max: 10 }), (calls, most) => {
      const guard = createReplayGuard(most);
      const taken = new Set<string>();
      for (const { second, id } of calls) {
        const name = `${second}-${id}`;
        const isTaken = takes(guard, callAt(second, name));
        expect(isTaken && taken.has(name)).toBe(false);
        if (isTaken) taken.add(name);
      }
    }),
  );
});

it('the memory of replays accepts every call that comes in order', () => {
  const guard = createReplayGuard(20);
  for (let at = 0; at < 1000; at++) {
    expect(takes(guard, callAt(base + at, `${at}`))).toBe(true);
    expect(takes(guard, callAt(base + at, `${at}`))).toBe(false);
  }
});

it('the memory of replays refuses calls signed before those it has forgotten', () => {
  const guard = createReplayGuard(2);
  for (const at of [0, 1, 2]) expect(takes(guard, callAt(base + at, `${at}`))).toBe(true);
  expect(guard.admit(callAt(base, '0'))).toMatchObject({
    reason: 'replayed',
    message: 'signed before the earliest call that is remembered',
  });
  expect(takes(guard, callAt(base + 3, '3'))).toBe(true);
});

it('the memory of replays knows a call by each signature, and forgets it after a failure', () => {
  const guard = createReplayGuard();
  const call = callAt(base, 'old key', 'new key');
  expect(takes(guard, call)).toBe(true);
  expect(takes(guard, callAt(base, 'new key'))).toBe(false);
  guard.forget(call);
  expect(takes(guard, callAt(base, 'new key'))).toBe(true);
});
