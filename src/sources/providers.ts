/** The table of providers. Each one is a folder of `sources/` and an entry here. */
import { auth0, type Auth0Flags } from './auth0/entry.ts';
import type { ProviderEntry } from './entry.ts';
import { keycloak, type KeycloakFlags } from './keycloak/entry.ts';
import builtIn from './table/built-in.json' with { type: 'json' };
import type { builtInNames } from './table/built-in-names.ts';
import { generic, tableEntry, type TableFlags, type TableSource } from './table/entry.ts';

/** The flags that the library's `convert` takes for each provider, in camel case. */
export interface ProviderFlags extends Record<TableName, TableFlags> {
  keycloak: KeycloakFlags;
  auth0: Auth0Flags;
}

type TableName = keyof typeof generic | (typeof builtInNames)[number];

/** Names that `idport migrate <name>` and `--from <name>` accept. */
export type ExportName = keyof ProviderFlags;

const tables = Object.fromEntries(
  Object.entries<TableSource>({ ...generic, ...(builtIn as Readonly<Record<string, TableSource>>) }).map(
    ([name, source]) => [name, tableEntry(name, source)],
  ),
) as Record<TableName, ProviderEntry>;

/** In the order of the help. */
export const providers: Readonly<Record<ExportName, ProviderEntry>> = { keycloak, auth0, ...tables };

export const providerNames = Object.keys(providers) as readonly ExportName[];

/** Returns `--from=keycloak --realm=<path> or --from=...` for hints. */
export function listFroms() {
  const examples: readonly ExportName[] = ['keycloak', 'auth0', 'csv'];
  return examples.map((name) => `--from=${name} --${providers[name].input.name}=<path>`).join(' or ');
}
