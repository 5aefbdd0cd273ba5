/** The queue of events: how many at once, how long, what is dropped, what a failure does. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { TargetAnswer, TargetCall } from '../../../src/server/actions/call-target.ts';
import { createEventQueue, type EventQueue } from '../../../src/server/actions/events.ts';
import type { TargetRow } from '../../../src/server/store/rows.ts';
import { createTestServer, type FullServer, userV1 } from '../../support/full-server.ts';

let server: FullServer;
let queue: EventQueue;
let calls: (TargetCall & { answer: (answer: TargetAnswer) => void })[];
beforeEach(() => {
  server = createTestServer();
  calls = [];
  const { state } = server;
  const targetCaller = {
    call: (call: TargetCall) =>
      new Promise<TargetAnswer>((answer) => {
        calls.push({ ...call, answer });
      }),
    close: () => Promise.resolve(),
  };
  state.store.targets.put(target);
  state.store.executions.put({
    id: 'event/user.human.added',
    condition: { event: { event: 'user.human.added' } },
    generation: 'v2',
    entries: [{ target: 't' }],
    created: 0,
    changed: 0,
    sequence: 1,
  });
  queue = createEventQueue({ ...state, targetCaller });
  state.store.listen((change) => queue.onChange(change));
});

const target: TargetRow = {
  id: 't',
  name: 't',
  kind: 'webhook',
  interruptOnError: true,
  endpoint: 'http://hooks.example/',
  timeoutMs: 60_000,
  payloadType: 'PAYLOAD_TYPE_JSON',
  signingKey: 'key',
  created: 0,
  changed: 0,
  sequence: 1,
};

async function add(count: number) {
  for (let i = 0; i < count; i++) {
    const user = userV1(`user-${server.state.store.users.size}`);
    const answer = await server.call('POST /management/v1/users/human/_import', user);
    expect(answer.status).toBe(200);
  }
}

/** Answers every call that waits, and lets the next ones come. */
async function answerAll(answer: TargetAnswer = { status: 200, body: '' }) {
  for (const call of calls.splice(0)) call.answer(answer);
  await server.settled();
  await server.clock.advance(0);
}

describe('the queue of events', () => {
  it('works on ten at once, each for ten seconds at most', async () => {
    await add(15);
    await server.clock.advance(0);
    expect(calls.map(({ timeout }) => timeout)).toEqual(Array(10).fill(10_000));
  });

  it('goes on after a failure, and repeats nothing', async () => {
    await add(11);
    await server.clock.advance(0);
    for (const call of calls.splice(0)) call.answer({ status: 500, body: '' });
    await server.clock.advance(0);
    expect(calls).toHaveLength(1);
    await answerAll({ status: undefined, problem: 'gone' });
    expect(calls).toEqual([]);
  });

  it.each([
    ['waited for five minutes', () => server.clock.advance(5 * 60_000 + 1)],
    ['waits when the server closes', async () => queue.drop()],
  ])('drops what %s', async (_, end) => {
    await add(12);
    await server.clock.advance(0);
    await end();
    expect(calls).toHaveLength(10);
    await answerAll();
    expect(calls).toEqual([]);
  });
});
