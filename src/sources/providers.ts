/** The table of providers: each is one folder of `sources/` and one entry here. */
import { auth0, type Auth0Flags } from './auth0/entry.ts';
import type { ProviderEntry } from './entry.ts';
import { keycloak, type KeycloakFlags } from './keycloak/entry.ts';

/** What `convert` of the library takes for each: its flags in camel case. */
export interface ProviderFlags {
  keycloak: KeycloakFlags;
  auth0: Auth0Flags;
}

/** What `idport migrate <name>` and `--from <name>` take. */
export type ExportName = keyof ProviderFlags;

/** In the order of the help. */
export const providers: Readonly<Record<ExportName, ProviderEntry>> = { keycloak, auth0 };

export const providerNames = Object.keys(providers) as readonly ExportName[];

/** `--from=keycloak --realm=<path> or --from=...`, for hints. */
export function listFroms(): string {
  return providerNames.map((name) => `--from=${name} --${providers[name].input.name}=<path>`).join(' or ');
}
