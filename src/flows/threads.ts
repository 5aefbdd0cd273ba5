/**
 * Scanned batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import type { Crew, Done } from '../lib/crew.ts';
import { moduleBeside } from '../lib/module-beside.ts';
import type { ScannedBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { dutyOf } from './convert-duty.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';

/** Undefined instead of a converted batch: an unread one is not what it was taken for. */
export async function* convertBatches(
  batches: AsyncIterable<ScannedBatch>,
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Done<ScannedBatch, ConvertedBatch | undefined>> {
  const module = moduleBeside(import.meta.url, 'convert-duty');
  yield* crew.run(batches, { module, job, duty: dutyOf(await startConverter(job)) });
}
