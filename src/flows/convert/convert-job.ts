/** The conversion of batches as a job for any thread. */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../../errors.ts';
import type { Job } from '../../workers/job.ts';
import { buffersOf, elementsIn, isUnread } from '../../sources/elements.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../../sources/index.ts';
import type { RawElements, ScannedBatch, UnreadElements } from '../../sources/source.ts';
import { readFully } from '../../storage/file-blocks.ts';
import type { ConvertedBatch } from './batch.ts';
import { type BatchConverterOptions, createBatchConverter } from './convert-batch.ts';

/** What a worker needs to convert batches; survives a structured clone. */
export interface ConvertSettings<Name extends ProviderName = ProviderName> extends BatchConverterOptions {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
}

/** The result is undefined for an unread batch that turns out to be something other than elements. */
type ConvertBatches = Job<ScannedBatch, ConvertedBatch | undefined>;

export async function startJob(settings: ConvertSettings): Promise<ConvertBatches> {
  const provider = await loadProvider(settings.provider);
  const convert = createBatchConverter(provider.reader(settings.options), settings, provider);
  return {
    async work(batch) {
      if (!isUnread(batch)) return convert(batch);
      const elements = readElements(batch.elements);
      return elements && unlessBroken(convert({ ...batch, elements }));
    },
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfResult: (result) => (result === undefined ? [] : [result.body.buffer, result.rows.buffer]),
  };
}

/** Undefined when they cannot be read: the second pass, which reads the file from its start, reports why. */
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

/** Undefined for an input error: the second pass throws it again, if these are elements. */
async function unlessBroken(converting: Promise<ConvertedBatch>): Promise<ConvertedBatch | undefined> {
  try {
    return await converting;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
