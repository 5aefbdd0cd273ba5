import { expect, it } from 'vitest';
import { runImport } from '../../src/commands/stop-import.ts';
import { createTestContext } from '../support/context.ts';

it('says that it waits for the running calls while they run, and never later', async () => {
  const during = createTestContext();
  await runImport('x.journal', during.context, async () => during.interrupt());
  expect(during.events).toMatchObject([{ code: 'run:draining' }]);
  const after = createTestContext();
  await runImport('x.journal', after.context, async () => 'done');
  after.interrupt();
  expect(after.events).toEqual([]);
});
