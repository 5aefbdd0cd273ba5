/**
 * Scanned batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import type { WorkerPool, Done } from '../../workers/pool.ts';
import { moduleUrl } from '../../workers/module-url.ts';
import type { ScannedBatch } from '../../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertSettings, startJob } from './convert-job.ts';

/** Undefined instead of a converted batch: an unread one is not what it was taken for. */
export async function* convertBatches(
  batches: AsyncIterable<ScannedBatch>,
  job: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Done<ScannedBatch, ConvertedBatch | undefined>> {
  const module = moduleUrl(import.meta.url, 'convert-job');
  yield* pool.run(batches, { module, job, duty: await startJob(job) });
}
