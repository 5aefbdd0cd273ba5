import { expect, it } from 'vitest';
import type { ConvertJob } from '../../src/flows/convert-job.ts';
import { convertBatches } from '../../src/flows/threads.ts';
import type { RawBatch } from '../../src/sources/source.ts';

const batch: RawBatch = {
  input: 'realm.json',
  elements: { form: 'values', values: [] },
  context: undefined,
};

/** Batches that come late, so that a thread that could not begin is gone before it is asked. */
async function* late(): AsyncGenerator<RawBatch> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    yield batch;
  }
}

it('a thread that cannot begin ends the run, and nobody waits for it', async () => {
  const job = { provider: 'no such provider' } as unknown as ConvertJob;
  const convert = async (): Promise<void> => {
    for await (const _ of convertBatches(late(), job, 2));
  };
  await expect(convert()).rejects.toThrow(Error);
});
