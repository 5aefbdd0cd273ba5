/** The queue of events: how many at once, how long, what is dropped, what a failure does. */
import { beforeEach, expect, it } from 'vitest';
import type { TargetAnswer, TargetCall } from '../../../src/server/actions/call-target.ts';
import { createTestServer, type FullServer, userV1 } from '../../support/full-server.ts';

let server: FullServer;
let calls: (TargetCall & { answer: (answer: TargetAnswer) => void })[];
beforeEach(async () => {
  server = createTestServer();
  calls = [];
  server.state.targetCaller.call = (call) => new Promise((answer) => calls.push({ ...call, answer }));
  const endpoint = 'http://hooks.example/';
  const target = { name: 't', restWebhook: { interruptOnError: true }, endpoint, timeout: '60s' };
  const { id } = (await server.call('POST /v2/actions/targets', target)).body;
  const condition = { event: { event: 'user.human.added' } };
  await server.call('PUT /v2/actions/executions', { condition, targets: [id] });
});

async function add(count: number) {
  for (let i = 0; i < count; i++) {
    const user = userV1(`user-${server.state.store.users.size}`);
    expect((await server.call('POST /management/v1/users/human/_import', user)).status).toBe(200);
  }
  await server.clock.advance(0);
}

/** Answers every call that waits, and lets the next ones come. */
async function answerAll(answer: TargetAnswer = { status: 200, body: '' }) {
  for (const call of calls.splice(0)) call.answer(answer);
  await server.clock.advance(0);
}

it('the event queue runs ten calls at once, each with a timeout of ten seconds', async () => {
  await add(15);
  expect(calls.map(({ timeout }) => timeout)).toEqual(Array(10).fill(10_000));
});

it('the event queue continues after a failed call without repeating it', async () => {
  await add(11);
  await answerAll({ status: 500, body: '' });
  expect(calls).toHaveLength(1);
  await answerAll({ status: undefined, problem: 'gone' });
  expect(calls).toEqual([]);
});

it.each([
  ['waited for five minutes', () => server.clock.advance(5 * 60_000 + 1)],
  [
    'waits when the server closes',
    async () => {
      void server.close();
      await server.clock.advance(0);
    },
  ],
])('the event queue drops an event that %s', async (_, end) => {
  await add(12);
  await end();
  expect(calls).toHaveLength(10);
  await answerAll();
  await server.settled();
  expect(calls).toEqual([]);
});
