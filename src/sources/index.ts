/** Loads a reader by its name, not before it is used. */
import { type ExportName, providers } from './providers.ts';
import type { Provider } from './source.ts';

/** An import body is read like an export, but has no options. */
export type ProviderName = ExportName | 'body';

const body = { load: async () => (await import('./body.ts')).body };

/** Only a provider's own scan and reader use the context of a batch, so nothing else knows its type. */
export async function loadProvider(name: ProviderName) {
  return (await { ...providers, body }[name].load()) as Provider<object, unknown>;
}
