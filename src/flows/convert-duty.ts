/** The conversion of raw batches as the duty of any thread. What is made of a batch stands behind it, where there is room. */
import type { Duty } from '../lib/crew.ts';
import type { Lesson } from '../lib/stencils.ts';
import { buffersOf } from '../sources/elements.ts';
import type { RawBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, type Converter, startConverter } from './convert-job.ts';

/** For a thread beside the one that reads: there is more than one batch for sure. */
export async function takeUp(job: ConvertJob): Promise<Duty<RawBatch, ConvertedBatch>> {
  return dutyOf(await startConverter(job, 'long'));
}

export function dutyOf({ convert, lesson, adopt }: Converter): Duty<RawBatch, ConvertedBatch> {
  return {
    work: convert,
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfAnswer: ({ body, ends }) => [body.buffer, ends.buffer],
    lesson,
    adopt: (taught) => adopt(taught as Lesson),
  };
}
