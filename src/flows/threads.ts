/**
 * Raw batches in, converted batches out in the same order: on this thread, or on several. Small inputs stay on this
 * one, because a thread takes longer to start than they take to convert.
 */
import { type Crew, type Done, moduleBeside } from '../lib/crew.ts';
import type { RawBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { takeUp } from './convert-duty.ts';
import type { ConvertJob } from './convert-job.ts';

export async function* convertBatches(
  batches: AsyncIterable<RawBatch>,
  job: ConvertJob,
  crew: Crew,
): AsyncGenerator<Done<RawBatch, ConvertedBatch>> {
  const module = moduleBeside(import.meta.url, 'convert-duty');
  yield* crew.run(batches, { module, job, duty: await takeUp(job) });
}
