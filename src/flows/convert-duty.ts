/** The conversion of raw batches as the duty of any thread. What is made of a batch stands behind it, where there is room. */
import type { Duty } from '../lib/crew.ts';
import { buffersOf } from '../sources/elements.ts';
import type { RawBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';

export async function takeUp(job: ConvertJob): Promise<Duty<RawBatch, ConvertedBatch>> {
  return {
    work: await startConverter(job),
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfAnswer: ({ body, ends }) => [body.buffer, ends.buffer],
  };
}
