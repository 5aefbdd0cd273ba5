/**
 * Raw batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import type { Crew, Done } from '../lib/crew.ts';
import { moduleBeside } from '../lib/module-beside.ts';
import type { RawBatch, UnreadBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { dutyOf } from './convert-duty.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';

/** Ends in front of an unread batch that is not what it was taken for, and returns it. */
export async function* convertBatches(
  batches: AsyncIterable<RawBatch>,
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Done<RawBatch, ConvertedBatch>, UnreadBatch | undefined> {
  const module = moduleBeside(import.meta.url, 'convert-duty');
  const duty = dutyOf(await startConverter(job));
  for await (const { task, answer } of crew.run(batches, { module, job, duty })) {
    if (answer === undefined) return task as UnreadBatch;
    yield { task, answer };
  }
  return undefined;
}
