/** What a thread needs to know to convert batches; survives a structured clone. */
import { createPick } from '../lib/json-pick.ts';
import { createStencils, type Stencils } from '../lib/stencils.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../sources/index.ts';
import type { Provider } from '../sources/source.ts';
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
  const read = provider.reader(job.options);
  const stencils = startStencils(provider, job);
  // Stencils pick what they leave.
  const pick = stencils === undefined && wanted !== undefined ? createPick(wanted, isEnough) : undefined;
  return createBatchConverter(read, job, { pick, stencils });
}

/** A user name may be refused for its domain, which no stencil knows. */
function startStencils(
  { wanted, oddities }: Provider<unknown, unknown>,
  { policy, seed }: ConvertJob,
): Stencils | undefined {
  if (wanted === undefined || oddities === undefined || policy.foreignDomains !== undefined) return undefined;
  return createStencils(wanted, oddities, seed);
}
