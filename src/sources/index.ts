/** The table of providers; each is loaded only when it is used. */
import type { Auth0Options } from './auth0/options.ts';
import type { BodyOptions } from './body/provider.ts';
import type { KeycloakOptions } from './keycloak/options.ts';
import type { Provider } from './source.ts';

/** What each provider can be asked for. */
export interface ProviderOptions {
  auth0: Auth0Options;
  body: BodyOptions;
  keycloak: KeycloakOptions;
}

export type ProviderName = keyof ProviderOptions;

const loaders = {
  auth0: async () => (await import('./auth0/provider.ts')).auth0,
  body: async () => (await import('./body/provider.ts')).body,
  keycloak: async () => (await import('./keycloak/provider.ts')).keycloak,
};

/** The context of a batch is a matter between a provider's own scan and reader, so nobody else knows its type. */
export async function loadProvider<Name extends ProviderName>(
  name: Name,
): Promise<Provider<ProviderOptions[Name], unknown>> {
  return (await loaders[name]()) as unknown as Provider<ProviderOptions[Name], unknown>;
}
