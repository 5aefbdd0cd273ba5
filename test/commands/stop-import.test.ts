import { expect, it } from 'vitest';
import { reportInterrupt } from '../../src/commands/stop-import.ts';
import { createTestContext } from '../support/context.ts';

it('says that it waits for the running calls while they run, and never later', async () => {
  const during = createTestContext();
  await reportInterrupt(during.context, async () => during.interrupt());
  expect(during.events).toMatchObject([{ code: 'run:draining' }]);
  const after = createTestContext();
  await reportInterrupt(after.context, async () => 'done');
  after.interrupt();
  expect(after.events).toEqual([]);
});
