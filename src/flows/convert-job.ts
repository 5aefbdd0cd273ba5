/** What a thread needs to know to convert batches; survives a structured clone. */
import { createPick } from '../lib/json-pick.ts';
import { createStencils, type Lesson } from '../lib/stencils.ts';
import { loadProvider, type ProviderName, type ProviderOptions } from '../sources/index.ts';
import type { Provider } from '../sources/source.ts';
import { type BatchConverter, createBatchConverter } from './convert-batch.ts';
import type { HashPolicy } from './judge-record.ts';
import type { ShortCuts } from './quick-records.ts';

export interface ConvertJob<Name extends ProviderName = ProviderName> {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
  readonly policy: HashPolicy;
  readonly hashPlain: boolean;
  readonly seed: number;
}

export interface Converter {
  readonly convert: BatchConverter;
  /** What was learned from the batches so far, if anything. */
  readonly lesson: () => Lesson | undefined;
  /** Takes over what another converter for the same job has learned. */
  readonly adopt: (lesson: Lesson) => void;
}

/** `input` is how long it is known to be. */
export async function startConverter(job: ConvertJob, input: 'short' | 'long' = 'short'): Promise<Converter> {
  const provider = await loadProvider(job.provider);
  const reader = provider.reader(job.options);
  let ways: ShortCuts = {};
  // The first batch goes the long way: small inputs end with it, and the short ways take longer to start than it does.
  let converter = createBatchConverter(reader, job, ways);
  let batches = 0;
  const goShort = (): void => {
    ways = shortCuts(provider, job);
    converter = createBatchConverter(reader, job, ways);
  };
  if (input === 'long') goShort();
  return {
    convert(batch) {
      if (++batches === 2 && input === 'short') goShort();
      return converter(batch);
    },
    lesson: () => ways.stencils?.lesson(),
    adopt: (lesson) => ways.stencils?.adopt(lesson),
  };
}

/** A user name may be refused for its domain, which no stencil knows: then records are picked only. */
function shortCuts<Options>(
  { wanted, isEnough = () => true, oddities, aside }: Provider<Options, unknown>,
  { options, policy, seed }: ConvertJob & { readonly options: Options },
): ShortCuts {
  if (wanted === undefined) return {};
  if (oddities === undefined || policy.foreignDomains !== undefined) {
    return { pick: createPick(wanted(options), isEnough) };
  }
  return { stencils: createStencils(wanted(options), oddities, seed), isEnough, aside };
}
