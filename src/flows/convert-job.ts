/** What a thread needs to know to convert batches; survives a structured clone. */
import { createPick } from '../lib/json-pick.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../sources/index.ts';
import { type BatchConverter, createBatchConverter } from './convert-batch.ts';
import type { HashPolicy } from './judge-record.ts';

export interface ConvertJob<Name extends ProviderName = ProviderName> {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
  readonly policy: HashPolicy;
  readonly hashPlain: boolean;
  readonly seed: number;
}

export async function startConverter(job: ConvertJob): Promise<BatchConverter> {
  const provider = await loadProvider(job.provider);
  const { wanted, isEnough = () => true } = provider;
  return createBatchConverter(provider.reader(job.options), job, wanted && createPick(wanted, isEnough));
}
