import { expect, it } from 'vitest';
import { runImport } from '../../src/commands/run-import.ts';
import { emptyTally } from '../../src/records/tally.ts';
import { createTestContext } from '../support/context.ts';

it('runImport reports that it waits for running calls only while they run', async () => {
  const files = { verb: 'import', journal: 'x.journal', idMap: undefined, dryRun: true } as const;
  const end = { tally: emptyTally(), seconds: 0 };
  const during = createTestContext();
  await runImport(files, during.context, async () => {
    during.interrupt();
    return end;
  });
  expect(during.events).toMatchObject([{ code: 'run:draining' }]);
  const after = createTestContext();
  await runImport(files, after.context, async () => end);
  after.interrupt();
  expect(after.events).toEqual([]);
});
