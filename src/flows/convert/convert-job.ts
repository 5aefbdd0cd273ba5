/** Runs the conversion of batches as a job on any thread. */
import { type Done, type Job, moduleUrl } from '../../workers/job.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import { buffersOf } from '../../sources/elements.ts';
import { loadProvider, type ProviderName } from '../../sources/index.ts';
import type { RawBatch } from '../../sources/source.ts';
import type { ConvertedBatch } from './batch.ts';
import { type BatchConverterOptions, createBatchConverter } from './convert-batch.ts';

/** What a worker needs to convert batches. Can be cloned to threads. */
export interface ConvertSettings extends BatchConverterOptions {
  readonly provider: ProviderName;
  readonly options: object;
}

export async function startJob(settings: ConvertSettings): Promise<Job<RawBatch, ConvertedBatch>> {
  const provider = await loadProvider(settings.provider);
  return {
    work: createBatchConverter(provider.reader(settings.options), settings, provider),
    buffersOfTask: ({ elements }) => buffersOf(elements),
    buffersOfResult: ({ body, rows }) => [body.buffer, rows.buffer],
  };
}

/** Converts batches on the threads of a pool, in order. */
export async function* convertBatches(
  batches: AsyncIterable<RawBatch>,
  settings: ConvertSettings,
  pool: WorkerPool,
): AsyncGenerator<Done<RawBatch, ConvertedBatch>> {
  const module = moduleUrl(import.meta.url, 'convert-job');
  yield* pool.run(batches, { module, settings, job: await startJob(settings) });
}
