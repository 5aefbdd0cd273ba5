/** The conversion of batches as a job of any thread. */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../errors.ts';
import type { Job } from '../../workers/job.ts';
import { buffersOf, elementsIn, isUnread } from '../../sources/elements.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import type { RawElements, ScannedBatch, UnreadElements } from '../../sources/source.ts';
import { readFully } from '../../storage/file-blocks.ts';
import type { ConvertedBatch } from './batch.ts';
import { type BatchConverterOptions, createBatchConverter } from './convert-batch.ts';

/** What a thread needs to know to convert batches; survives a structured clone. */
export interface ConvertSettings<Name extends ProviderName = ProviderName> extends BatchConverterOptions {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
}

/** Undefined: a batch that is handed out unread is not what it was taken for. */
type ConvertBatches = Job<ScannedBatch, ConvertedBatch | undefined>;

export async function startJob(job: ConvertSettings): Promise<ConvertBatches> {
  const provider = await loadProvider(job.provider);
  const convert = createBatchConverter(provider.reader(job.options), job);
  return {
    async work(batch) {
      if (!isUnread(batch)) return convert(batch);
      const elements = readElements(batch.elements);
      return elements && unlessBroken(convert({ ...batch, elements }));
    },
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfResult: (answer) => (answer === undefined ? [] : [answer.body.buffer, answer.rows.buffer]),
  };
}

/** Undefined where they cannot be read: whoever reads the file from its start will see why, and say it. */
function readElements(unread: UnreadElements): RawElements | undefined {
  const { descriptor, offset, length, memory } = unread;
  const bytes = memory.subarray(0, length);
  try {
    const isWhole = readFully(descriptor, bytes, offset) === length;
    return isWhole && isUtf8(bytes) ? elementsIn(unread) : undefined;
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
