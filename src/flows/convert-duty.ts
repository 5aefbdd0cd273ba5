/** The conversion of raw batches as the duty of any thread: both batches go back, because records may be quoted. */
import type { Duty } from '../lib/crew.ts';
import { buffersOf } from '../sources/elements.ts';
import type { RawBatch } from '../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, startConverter } from './convert-job.ts';

/** A converted batch and the raw one it was made of. */
export interface ConvertedPair {
  readonly raw: RawBatch;
  readonly converted: ConvertedBatch;
}

export async function takeUp(job: ConvertJob): Promise<Duty<RawBatch, ConvertedPair>> {
  const convert = await startConverter(job);
  return {
    work: async (raw) => ({ raw, converted: await convert(raw) }),
    movedTask: ({ elements }) => buffersOf(elements),
    movedAnswer: ({ raw, converted: { body, ends } }) => [
      body.buffer as ArrayBuffer,
      ends.buffer as ArrayBuffer,
      ...buffersOf(raw.elements),
    ],
  };
}
