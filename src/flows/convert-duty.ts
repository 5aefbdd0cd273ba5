/** The conversion of raw batches as the duty of any thread. What is made of a batch stands behind it, where there is room. */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../errors.ts';
import type { Duty } from '../lib/crew.ts';
import type { Lesson } from '../lib/stencils.ts';
import { buffersOf, elementsIn, isUnread } from '../sources/elements.ts';
import type { RawElements, ScannedBatch, UnreadElements } from '../sources/source.ts';
import { readFully } from '../storage/file-blocks.ts';
import type { ConvertedBatch } from './batch.ts';
import { type ConvertJob, type Converter, startConverter } from './convert-job.ts';

/** Undefined: an unread batch is not what it was taken for. */
type ConvertDuty = Duty<ScannedBatch, ConvertedBatch | undefined>;

/** For a thread beside the one that reads: there is more than one batch for sure. */
export async function takeUp(job: ConvertJob): Promise<ConvertDuty> {
  return dutyOf(await startConverter(job, 'long'));
}

export function dutyOf({ convert, lesson, adopt }: Converter): ConvertDuty {
  return {
    async work(batch) {
      if (!isUnread(batch)) return convert(batch);
      const elements = readElements(batch.elements);
      return elements && unlessBroken(convert({ ...batch, elements }));
    },
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfAnswer: (answer) => (answer === undefined ? [] : [answer.body.buffer, answer.ends.buffer]),
    lesson,
    adopt: (taught) => adopt(taught as Lesson),
  };
}

/** Undefined where they cannot be read: whoever reads the file from its start will see why, and say it. */
function readElements(unread: UnreadElements): RawElements | undefined {
  const elements = elementsIn(unread);
  const { bytes, offset } = elements;
  try {
    const isWhole = readFully(unread.descriptor, bytes, offset) === bytes.length;
    return isWhole && isUtf8(bytes) ? elements : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with them is said by whoever reads them again: it is thrown there as well, if they are elements. */
async function unlessBroken(converting: Promise<ConvertedBatch>): Promise<ConvertedBatch | undefined> {
  try {
    return await converting;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
