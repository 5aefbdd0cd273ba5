/** Loads a reader by its name; none is loaded before it is used. */
import { type ExportName, providers } from './providers.ts';
import type { Provider } from './source.ts';

/** An import body is read like an export, but has nothing to choose. */
export type ProviderName = ExportName | 'body';

const body = { load: async () => (await import('./body/provider.ts')).body };

/** The context of a batch is a matter between a provider's own scan and reader, so nothing else knows its type. */
export async function loadProvider(name: ProviderName): Promise<Provider<object, unknown>> {
  return (await { ...providers, body }[name].load()) as Provider<object, unknown>;
}
