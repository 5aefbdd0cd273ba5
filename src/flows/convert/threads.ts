/**
 * Scanned batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import type { Crew, Done } from '../../workers/pool.ts';
import { moduleBeside } from '../../workers/module-url.ts';
import type { ScannedBatch } from '../../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, takeUp } from './convert-job.ts';

/** Undefined instead of a converted batch: an unread one is not what it was taken for. */
export async function* convertBatches(
  batches: AsyncIterable<ScannedBatch>,
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Done<ScannedBatch, ConvertedBatch | undefined>> {
  const module = moduleBeside(import.meta.url, 'convert-job');
  yield* crew.run(batches, { module, job, duty: await takeUp(job) });
}
